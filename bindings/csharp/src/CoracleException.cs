// SPDX-License-Identifier: Apache-2.0
using System;

namespace Coracle
{
    /// <summary>A failure of the library, with a message that names file, operator and tensor.</summary>
    public sealed class CoracleException : Exception
    {
        /// <summary>What kind of failure it is.</summary>
        public Status Status { get; }

        public CoracleException(Status status, string message) : base(message) { Status = status; }

        /// <summary>What the last call of this thread failed with.</summary>
        internal static CoracleException Last(Status status) => new CoracleException(status, Text.At(Native.coracle_last_error()));

        internal static void Check(Status status)
        {
            if (status != Status.Ok) throw Last(status);
        }
    }
}
