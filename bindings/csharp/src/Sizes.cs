// SPDX-License-Identifier: Apache-2.0
using System;
using System.Runtime.InteropServices;

namespace Coracle
{
    /// <summary>Numbers as the library has them.</summary>
    internal static class Sizes
    {
        /// <summary>The size of a struct.</summary>
        public static UIntPtr Of<T>() where T : struct => (UIntPtr)Marshal.SizeOf(typeof(T));

        public static UIntPtr Of(long bytes, string name)
        {
            if (bytes < 0) throw new ArgumentOutOfRangeException(name, bytes, "a size is not negative");
            return (UIntPtr)(ulong)bytes;
        }

        /// <summary>An index; one that no list has for what is negative.</summary>
        public static UIntPtr Index(int index) => index < 0 ? (UIntPtr)uint.MaxValue : (UIntPtr)index;

        /// <summary>A limit, of which 0 is none, so a shorter one than a millisecond is one.</summary>
        public static long Milliseconds(TimeSpan limit)
        {
            return limit.Ticks <= 0 ? 0 : Math.Max(1, limit.Ticks / TimeSpan.TicksPerMillisecond);
        }
    }
}
