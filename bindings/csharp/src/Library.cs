// SPDX-License-Identifier: Apache-2.0
using System;

namespace Coracle
{
    /// <summary>What belongs to no model.</summary>
    public static class Library
    {
        /// <summary>Of the library, "0.1.0".</summary>
        public static string Version => Text.At(Native.coracle_version());

        /// <summary>Threads of a session that was not told how many.</summary>
        public static int DefaultThreads => Native.coracle_default_threads();

        /// <summary>Bytes that all models and sessions of this process hold.</summary>
        public static long MemoryTotal => (long)Native.coracle_memory_total();

        /// <summary>The devices of this machine beside the CPU, as JSON.</summary>
        public static string Devices()
        {
            Status status = Native.coracle_devices(out IntPtr text);
            return Text.Given(status, text);
        }

        /// <summary>Engines that may run parts of models, as JSON.</summary>
        public static string Engines()
        {
            Status status = Native.coracle_engines(null, out IntPtr text);
            return Text.Given(status, text);
        }

        /// <summary>Loads a shared library with operators of one's own, which models of this process may name from then on.</summary>
        public static void LoadOperators(string path)
        {
            CoracleException.Check(Native.coracle_load_operators(Text.Required(path, nameof(path))));
        }

        /// <summary>What is in a model that need not be runnable, as JSON.</summary>
        public static string Inspect(string path)
        {
            Status status = Native.coracle_inspect(Text.Required(path, nameof(path)), null, out IntPtr text);
            return Text.Given(status, text);
        }
    }
}
