"""Worker processes: started so that Ctrl-C and linear algebra in many threads stay out of them."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import os
import signal
import threading
import types
import typing
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker

__all__ = ["Processes", "blas_threads"]

BLAS_SETTINGS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

Result = typing.TypeVar("Result")


class Processes:
    """So many worker processes, each of which computes with one thread.

    What one computes does not depend on how many there are. An error in one of them is raised by
    `result` here, and so is its death.

    Parameters
    ----------
    jobs
        How many.
    prepare, arguments
        A function that each calls first, and what it is called with.
    threads
        How many threads linear algebra may use in them; None leaves that to its library.

    Examples
    --------

    >>> from river_oa3.experiments.processes import Processes

    >>> with Processes(1) as processes:
    ...     processes.result(processes.submit(pow, 2, 10))
    1024

    """

    def __init__(
        self,
        jobs: int,
        prepare: Callable[..., object] | None = None,
        arguments: tuple[object, ...] = (),
        threads: int | None = 1,
    ):
        self._threads = threads
        self._pool = concurrent.futures.ProcessPoolExecutor(
            jobs, multiprocessing.get_context("spawn"), _start, (prepare, arguments)
        )

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if kind is not None:
            self.stop()
        self._pool.shutdown(cancel_futures=True)

    def stop(self) -> None:
        """End what is running now; nothing more can be run."""
        # A public way, terminate_workers, comes with Python 3.14.
        for process in list((self._pool._processes or {}).values()):
            process.terminate()

    def submit(
        self, function: Callable[..., Result], *arguments: object
    ) -> concurrent.futures.Future[Result]:
        """Have a function called in a process."""
        # The pool starts its processes as they are needed, so that any call may start one.
        with blas_threads(self._threads), _interrupts_deferred():
            try:
                n_before = len(self._pool._processes or {})
                future = self._pool.submit(function, *arguments)
            except BrokenProcessPool:
                raise _death() from None
            if len(self._pool._processes or {}) > n_before:
                self._watch_new_process()
            return future

    def _watch_new_process(self) -> None:
        """Have the pool's thread look again which processes there are.

        It is woken before a process starts, and may begin to wait without knowing of it: that
        process could then die unseen.
        """
        with self._pool._shutdown_lock:
            wakeup = self._pool._executor_manager_thread_wakeup
            if wakeup is not None:
                wakeup.wakeup()

    @staticmethod
    def result(future: concurrent.futures.Future[Result]) -> Result:
        """What came of a call."""
        try:
            return future.result()
        except BrokenProcessPool:
            raise _death() from None


def _start(prepare: Callable[..., object] | None, arguments: tuple[object, ...]) -> None:
    """What a worker does first. Ctrl-C is for its parent, who tells it to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if prepare is not None:
        prepare(*arguments)


def _end_with_parent() -> None:
    """End this process when its parent is gone, for the pool would have it wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _death() -> MemoryError:
    return MemoryError(
        "a worker process ended before its time, perhaps for lack of memory: use fewer --jobs"
    )


@contextlib.contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach while they import, and before they ignore it.

    One that is pressed meanwhile is not lost: it comes at the end of this. To block the signal in
    this thread does for the processes, which inherit that. Here another thread may get it, such as
    one of pyarrow's, and a process whose start is interrupted is one that nobody would end.
    """
    with contextlib.ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            stack.enter_context(_handlers_deferred())
        if hasattr(signal, "pthread_sigmask"):
            # Were it to start below, it would unblock what is blocked.
            resource_tracker.ensure_running()
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            stack.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        yield


@contextlib.contextmanager
def _handlers_deferred() -> Iterator[None]:
    """Call the handlers of signals that end a command when this is over."""
    came: list[int] = []
    handlers: dict[int, Callable[[int, types.FrameType | None], object]] = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        handler = None if number is None else signal.getsignal(number)
        if number is not None and callable(handler):
            handlers[number] = handler
            signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came[:1]:
            handlers[number](number, None)


@contextlib.contextmanager
def blas_threads(number: int | None) -> Iterator[None]:
    """Let processes that are started here do linear algebra in so many threads."""
    before = {name: os.environ.get(name) for name in BLAS_SETTINGS}
    for name in BLAS_SETTINGS:
        _set_variable(name, None if number is None else str(number))
    try:
        yield
    finally:
        for name, value in before.items():
            _set_variable(name, value)


def _set_variable(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
