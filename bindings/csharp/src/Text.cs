// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

namespace Coracle
{
    /// <summary>Texts as the library has them: UTF-8 that ends with a zero byte.</summary>
    internal static class Text
    {
        /// <summary>Null for null.</summary>
        public static byte[] Of(string text)
        {
            if (text == null) return null;
            if (text.IndexOf('\0') >= 0) throw new ArgumentException("a name, path or option has a zero byte: " + text.Replace("\0", "\\0"));
            var bytes = new byte[Encoding.UTF8.GetByteCount(text) + 1];
            Encoding.UTF8.GetBytes(text, 0, text.Length, bytes, 0);
            return bytes;
        }

        public static byte[] Required(string text, string name)
        {
            return Of(text ?? throw new ArgumentNullException(name));
        }

        /// <summary>Empty for null.</summary>
        public static string At(IntPtr text)
        {
            if (text == IntPtr.Zero) return "";
            int length = 0;
            while (Marshal.ReadByte(text, length) != 0) ++length;
            var bytes = new byte[length];
            Marshal.Copy(text, bytes, 0, length);
            return Encoding.UTF8.GetString(bytes);
        }

        /// <summary>A text that a function gave to its caller, if it succeeded.</summary>
        public static string Given(Status status, IntPtr text)
        {
            CoracleException.Check(status);
            try
            {
                return At(text);
            }
            finally
            {
                Native.coracle_string_free(text);
            }
        }
    }

    /// <summary>Texts of options, which stay until this is disposed of.</summary>
    internal sealed class Texts : IDisposable
    {
        private readonly List<IntPtr> all = new List<IntPtr>();

        /// <summary>Null for null and for an empty text.</summary>
        public IntPtr Add(string text)
        {
            if (string.IsNullOrEmpty(text)) return IntPtr.Zero;
            byte[] bytes = Text.Of(text);
            IntPtr copy = Marshal.AllocHGlobal(bytes.Length);
            all.Add(copy);
            Marshal.Copy(bytes, 0, copy, bytes.Length);
            return copy;
        }

        public void Dispose()
        {
            foreach (IntPtr copy in all) Marshal.FreeHGlobal(copy);
            all.Clear();
        }
    }
}
