/** A path between client and server with a delay and a limited rate. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface PathOptions {
  /** The round trip without queueing. */
  readonly roundTripMs: number;
  readonly bytesPerSecond: number;
}

/** In a separate thread, so that it takes no time from the measurement. */
export class PathProxy implements AsyncDisposable {
  readonly url: URL;
  readonly #thread: Worker;

  private constructor(url: URL, thread: Worker) {
    this.url = url;
    this.#thread = thread;
  }

  static async to(target: URL, options: PathOptions): Promise<PathProxy> {
    const workerData = { port: Number(target.port), ...options };
    const thread = new Worker(new URL('./path-thread.ts', import.meta.url), { workerData });
    const [port] = (await once(thread, 'message')) as [number];
    return new PathProxy(new URL(`http://127.0.0.1:${port}`), thread);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.terminate();
  }
}
