// SPDX-License-Identifier: Apache-2.0
using System;

namespace Coracle
{
    /// <summary>Threads that runs of several sessions share, in any threads. Sessions keep them alive.</summary>
    public sealed class Pool : IDisposable
    {
        internal readonly PoolHandle Handle;

        /// <summary>`threads` in all, each run's calling thread included; 0: Library.DefaultThreads. `cpus`: on these processors only, "0-3,8" or "node1".</summary>
        public Pool(int threads = 0, string cpus = null)
        {
            Status status = cpus == null ? Native.coracle_pool_create(threads, out Handle) : Native.coracle_pool_create_on(Text.Of(cpus), threads, out Handle);
            CoracleException.Check(status);
        }

        /// <summary>How many it has, those of callers included.</summary>
        public int Threads => Native.coracle_pool_threads(Handle);

        public void Dispose() => Handle.Dispose();
    }
}
