// SPDX-License-Identifier: Apache-2.0
using System;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Coracle
{
    /// <summary>What a token sets to 1 to end a run.</summary>
    internal sealed class CancelFlag : IDisposable
    {
        private CancellationTokenRegistration registration;

        /// <summary>Null for a token that never ends anything.</summary>
        public IntPtr Address { get; private set; }

        public CancelFlag(CancellationToken token)
        {
            if (!token.CanBeCanceled) return;
            Address = Marshal.AllocHGlobal(sizeof(int));
            Marshal.WriteInt32(Address, 0);
            registration = token.Register(() =>
            {
                Thread.MemoryBarrier();
                Marshal.WriteInt32(Address, 1);
            });
        }

        public void Dispose()
        {
            registration.Dispose();  // waits for a token that is at it
            if (Address != IntPtr.Zero) Marshal.FreeHGlobal(Address);
            Address = IntPtr.Zero;
        }
    }

    /// <summary>A run in a thread of the library's. It keeps the session until its end.</summary>
    internal sealed class AsyncRun
    {
        private static readonly RunFunction Told = Ended;  // the library calls it as long as the process lives
        private readonly TaskCompletionSource<bool> source = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly SessionHandle session;
        private readonly CancellationToken token;
        private readonly CancelFlag flag;
        private GCHandle self;

        private AsyncRun(SessionHandle session, CancellationToken token)
        {
            bool added = false;
            session.DangerousAddRef(ref added);
            this.session = session;
            this.token = token;
            flag = new CancelFlag(token);
            self = GCHandle.Alloc(this);
        }

        public static Task Start(SessionHandle session, RunOptions options, CancellationToken token)
        {
            if (token.IsCancellationRequested) return Task.FromCanceled(token);
            RunOptions.ToNative(options, IntPtr.Zero);  // throws here, if it does
            var run = new AsyncRun(session, token);
            coracle_run_options c = RunOptions.ToNative(options, run.flag.Address);
            Status status = Native.coracle_session_run_async(session, ref c, Told, GCHandle.ToIntPtr(run.self));
            if (status != Status.Ok)
            {
                CoracleException failure = CoracleException.Last(status);
                run.Release();
                run.source.SetException(failure);
            }
            return run.source.Task;
        }

        private void Release()
        {
            self.Free();
            flag.Dispose();
            session.DangerousRelease();
        }

        private static void Ended(IntPtr user, Status status)
        {
            var run = (AsyncRun)GCHandle.FromIntPtr(user).Target;
            try
            {
                CoracleException failure = status == Status.Ok ? null : CoracleException.Last(status);
                bool cancelled = status == Status.Cancelled && run.token.IsCancellationRequested;
                run.Release();
                if (failure == null) run.source.TrySetResult(true);
                else if (cancelled) run.source.TrySetCanceled(run.token);
                else run.source.TrySetException(failure);
            }
            catch (Exception e)  // may not leave this thread
            {
                run.source.TrySetException(e);
            }
        }
    }
}
