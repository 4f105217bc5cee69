// SPDX-License-Identifier: Apache-2.0
using System;
using System.Runtime.InteropServices;

namespace Coracle
{
    /// <summary>What element types are in C#, and where arrays of them lie.</summary>
    internal static class Elements
    {
        public static ElementType TypeOf<T>() where T : struct
        {
            Type type = typeof(T);
            if (type == typeof(bool)) return ElementType.Bool;
            if (type == typeof(sbyte)) return ElementType.Int8;
            if (type == typeof(byte)) return ElementType.UInt8;
            if (type == typeof(short)) return ElementType.Int16;
            if (type == typeof(int)) return ElementType.Int32;
            if (type == typeof(long)) return ElementType.Int64;
            if (type == typeof(float)) return ElementType.Float32;
            if (type == typeof(double)) return ElementType.Float64;
            throw new ArgumentException("there is no element type for " + type + "; SetInputBytes and OutputBytes take all");
        }

        /// <summary>0 for a number that is no element type.</summary>
        public static int SizeOf(ElementType type) => Enum.IsDefined(typeof(ElementType), type) ? (int)Native.coracle_dtype_size(type) : 0;

        public static string NameOf(ElementType type) => Text.At(Native.coracle_dtype_name(type));

        /// <summary>Elements of a shape.</summary>
        public static long Count(long[] dims)
        {
            if (dims == null) throw new ArgumentNullException(nameof(dims));
            string shape = "the shape [" + string.Join(", ", dims) + "]";
            if (dims.Length > Native.CORACLE_MAX_RANK)
                throw new ArgumentException(shape + " has " + dims.Length + " dimensions, which may be " + Native.CORACLE_MAX_RANK + " at most");
            long count = 1;
            foreach (long dim in dims)
            {
                if (dim < 0 || dim > 0 && count > long.MaxValue / dim) throw new ArgumentException(shape + " is none that a tensor has");
                count *= dim;
            }
            return count;
        }

        /// <summary>Calls with where the elements lie; bool is no type that arrays can be pinned of.</summary>
        public static void Pinned<T>(T[] values, Action<IntPtr> call) where T : struct
        {
            if (values is bool[] bools)
            {
                var bytes = new byte[bools.Length];
                for (int i = 0; i < bools.Length; ++i) bytes[i] = bools[i] ? (byte)1 : (byte)0;
                Pinned(bytes, call);
                return;
            }
            GCHandle pin = GCHandle.Alloc(values, GCHandleType.Pinned);
            try
            {
                call(pin.AddrOfPinnedObject());
            }
            finally
            {
                pin.Free();
            }
        }

        /// <summary>As many elements as there are, which a call writes.</summary>
        public static T[] Written<T>(long count, Action<IntPtr> call) where T : struct
        {
            var values = new T[count];
            if (!(values is bool[] bools))
            {
                Pinned(values, call);
                return values;
            }
            var bytes = new byte[count];
            Pinned(bytes, call);
            for (int i = 0; i < bytes.Length; ++i) bools[i] = bytes[i] != 0;
            return values;
        }
    }
}
