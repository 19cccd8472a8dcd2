import { describe, expect, it, vi } from 'vitest';
import {
  type TimerRequest,
  type TimerThread,
  WorkerClock,
} from '../../../../web/ui/connection/worker-clock.ts';

class FakeThread implements TimerThread {
  readonly requests: TimerRequest[] = [];
  onmessage: TimerThread['onmessage'] = null;
  onerror: TimerThread['onerror'] = null;

  postMessage(request: TimerRequest): void {
    this.requests.push(request);
  }

  rings(id: number): void {
    this.onmessage?.({ data: id } as MessageEvent<number>);
  }

  fails(): void {
    this.onerror?.({} as ErrorEvent);
  }
}

describe("the page's clock", () => {
  it('uses its worker thread as a timer, and runs a task once', () => {
    const thread = new FakeThread();
    const task = vi.fn();
    new WorkerClock(thread).after(250, task);
    expect(thread.requests).toEqual([{ id: 1, ms: 250 }]);
    thread.rings(1);
    thread.rings(1);
    expect(task).toHaveBeenCalledTimes(1);
  });

  it('does not run a cancelled task, even if its timer has already fired in the thread', () => {
    const thread = new FakeThread();
    const task = vi.fn();
    const cancel = new WorkerClock(thread).after(250, task);
    cancel();
    cancel();
    thread.rings(1);
    expect(task).not.toHaveBeenCalled();
    expect(thread.requests).toEqual([
      { id: 1, ms: 250 },
      { id: 1, ms: 'cancel' },
    ]);
  });

  it('continues without its thread, for pending and later tasks', async () => {
    const thread = new FakeThread();
    const clock = new WorkerClock(thread);
    const cancelled = vi.fn();
    const cancel = clock.after(1, cancelled);
    const pending = new Promise<void>((resolve) => clock.after(1, resolve));
    thread.fails();
    cancel();
    await pending;
    await new Promise<void>((resolve) => clock.after(1, resolve));
    expect(cancelled).not.toHaveBeenCalled();
  });
});
