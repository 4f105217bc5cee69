// SPDX-License-Identifier: Apache-2.0
namespace Coracle
{
    /// <summary>A copy of a result, in row-major order.</summary>
    public sealed class Tensor<T> where T : struct
    {
        /// <summary>Of the elements; that of T, but for bytes of all types.</summary>
        public ElementType Type { get; }
        /// <summary>Outermost first.</summary>
        public long[] Dims { get; }
        public T[] Values { get; }
        /// <summary>Sequence offsets, coarsest level first.</summary>
        public long[][] Lod { get; }

        internal Tensor(ElementType type, long[] dims, T[] values, long[][] lod)
        {
            Type = type;
            Dims = dims;
            Values = values;
            Lod = lod;
        }
    }
}
