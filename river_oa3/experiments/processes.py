"""Worker processes: started so that Ctrl-C and linear algebra in many threads stay out of them."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import multiprocessing.connection
import multiprocessing.process
import os
import pickle
import queue
import signal
import threading
import traceback
import types
import typing
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker

__all__ = ["Processes", "blas_threads"]

BLAS_SETTINGS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

Result = typing.TypeVar("Result")

# Whoever waits for it, the function and its arguments.
_Call = tuple[
    "concurrent.futures.Future[typing.Any]", Callable[..., typing.Any], tuple[object, ...]
]


class Processes:
    """So many worker processes, each of which computes with one thread.

    What one computes does not depend on how many there are. An error in one of them is raised where
    its result is asked for, and so is its death, with which all are ended.

    Parameters
    ----------
    jobs
        How many, at most: one is started with each of the first calls.
    prepare, arguments
        A function that each calls first, and what it is called with.
    threads
        How many threads linear algebra may use in them; None leaves that to its library.

    Examples
    --------

    >>> from river_oa3.experiments.processes import Processes

    >>> with Processes(1) as processes:
    ...     processes.submit(pow, 2, 10).result()
    1024

    """

    def __init__(
        self,
        jobs: int,
        prepare: Callable[..., object] | None = None,
        arguments: tuple[object, ...] = (),
        threads: int | None = 1,
    ):
        self._jobs = jobs
        self._first = (prepare, arguments)
        self._threads = threads
        self._context = multiprocessing.get_context("spawn")
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._workers: list[tuple[multiprocessing.process.BaseProcess, threading.Thread]] = []
        # Held where a call is added or the processes end, so that none is added and never answered.
        self._lock = threading.Lock()
        self._is_stopped = False

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if kind is not None:
            self.stop()
        self._drop_calls()
        for _ in self._workers:
            self._calls.put(None)
        for process, thread in self._workers:
            thread.join()
            process.join()

    def stop(self) -> None:
        """End what is running now; nothing more can be run."""
        with self._lock:
            self._is_stopped = True
        for process, _ in self._workers:
            process.terminate()
        self._drop_calls()

    def submit(
        self, function: Callable[..., Result], *arguments: object
    ) -> concurrent.futures.Future[Result]:
        """Have a function called in a process."""
        future: concurrent.futures.Future[Result] = concurrent.futures.Future()
        with self._lock:
            if self._is_stopped:
                raise _death()
            self._calls.put((future, function, arguments))
        if len(self._workers) < self._jobs:
            with blas_threads(self._threads), _interrupts_deferred():
                self._start_worker()
        return future

    def _start_worker(self) -> None:
        ours, its = self._context.Pipe()
        process = self._context.Process(target=_work, args=(its, *self._first))
        process.start()
        # Only where the process alone has the other end does its death close it.
        its.close()
        thread = threading.Thread(target=self._serve, args=(ours,), daemon=True)
        self._workers.append((process, thread))
        thread.start()

    def _serve(self, worker: multiprocessing.connection.Connection) -> None:
        """Give calls to a process one by one, and what came of them to whoever waits."""
        with worker:
            while (call := self._calls.get()) is not None:
                future, *work = call
                try:
                    worker.send(work)
                    error, result = worker.recv()
                except (EOFError, OSError):
                    future.set_exception(_death())
                    self.stop()
                    return
                except Exception as unsendable:
                    error, result = unsendable, None
                if error is None:
                    future.set_result(result)
                else:
                    future.set_exception(error)

    def _drop_calls(self) -> None:
        """Tell whoever waits for a call that has not begun that it never will."""
        with contextlib.suppress(queue.Empty):
            while True:
                if (call := self._calls.get_nowait()) is not None:
                    call[0].set_exception(_death())


def _work(
    parent: multiprocessing.connection.Connection,
    prepare: Callable[..., object] | None,
    arguments: tuple[object, ...],
) -> None:
    """What a worker does. Ctrl-C is for its parent, who tells it to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if prepare is not None:
        prepare(*arguments)
    with contextlib.suppress(EOFError, OSError):
        while True:
            function, given = parent.recv()
            answer: tuple[Exception | None, object]
            try:
                answer = None, function(*given)
            except Exception as error:
                error.add_note(f"in a worker process:\n{traceback.format_exc()}")
                answer = error, None
            try:
                parent.send(answer)
            except (AttributeError, TypeError, pickle.PicklingError) as error:
                parent.send((error, None))


def _end_with_parent() -> None:
    """End this process when its parent is gone, whatever it is busy with."""
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
