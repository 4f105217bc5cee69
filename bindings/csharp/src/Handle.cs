// SPDX-License-Identifier: Apache-2.0
using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Coracle
{
    /// <summary>Owns an object of the library's, which is freed once: when nobody uses it any more.</summary>
    internal abstract class Handle : SafeHandle
    {
        private Memory kept;

        protected Handle() : base(IntPtr.Zero, true) { }

        public override bool IsInvalid => handle == IntPtr.Zero;

        /// <summary>Keeps bytes that the object uses; null keeps nothing.</summary>
        public void Keep(Memory bytes)
        {
            bytes?.Use();
            kept = bytes;
        }

        protected abstract void Free(IntPtr handle);

        protected override bool ReleaseHandle()
        {
            Free(handle);
            kept?.Release();
            return true;
        }
    }

    /// <summary>Bytes outside of the garbage collector's memory, until nobody uses them any more.</summary>
    internal sealed class Memory
    {
        private int users = 1;

        public IntPtr Address { get; }

        /// <summary>The parts one after the other; who makes it uses it.</summary>
        public Memory(params byte[][] parts)
        {
            long size = 1;
            foreach (byte[] part in parts) size += part.Length;
            Address = Marshal.AllocHGlobal((IntPtr)size);
            long at = 0;
            foreach (byte[] part in parts)
            {
                Marshal.Copy(part, 0, (IntPtr)(Address.ToInt64() + at), part.Length);
                at += part.Length;
            }
        }

        /// <summary>By somebody who knows that another one uses it meanwhile.</summary>
        public void Use() => Interlocked.Increment(ref users);

        public void Release()
        {
            if (Interlocked.Decrement(ref users) == 0) Marshal.FreeHGlobal(Address);
        }
    }
}
