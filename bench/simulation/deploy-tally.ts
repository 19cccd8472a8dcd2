/** What is counted while everybody reconnects. */
import { quantile } from '../measuring/statistics.ts';

const BUCKET_MS = 100;

export interface DeployResult {
  /** From the drop until a client has its first screen back, in milliseconds. */
  readonly usable: {
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
    readonly most: number;
  };
  /** Clients that are not back after five minutes. */
  readonly stillAway: number;
  /** The busiest second at the edge, and how many attempts were refused or unanswered. */
  readonly peakTriesPerSecond: number;
  readonly refused: number;
  readonly triesPerClient: number;
  /** The longest wait of an event in an object's queue. */
  readonly objectQueueMs: number;
  readonly messages: number;
  /** Tries, and clients that are usable again, in each tenth of a second. */
  readonly tries: readonly number[];
  readonly returned: readonly number[];
}

export class DeployTally {
  readonly #tries: number[] = [];
  readonly #returned: number[] = [];
  /** When visible pages were usable again, and when the last page was. */
  readonly #usableMs: number[] = [];
  #lastMs = 0;
  #back = 0;
  #tried = 0;
  #queueMs = 0;
  refused = 0;
  messages = 0;

  tried(nowMs: number): void {
    this.#tried++;
    count(this.#tries, nowMs);
  }

  /** Something waited this long for an object. */
  queued(ms: number): void {
    this.#queueMs = Math.max(this.#queueMs, ms);
  }

  usable(nowMs: number, isWatched: boolean): void {
    if (isWatched) this.#usableMs.push(nowMs);
    this.#lastMs = nowMs;
    this.#back++;
    count(this.#returned, nowMs);
  }

  result(clients: number): DeployResult {
    const at = (q: number) => quantile(this.#usableMs, q);
    return {
      stillAway: clients - this.#back,
      usable: { p50: at(0.5), p95: at(0.95), p99: at(0.99), most: this.#lastMs },
      peakTriesPerSecond: Math.max(...inSeconds(this.#tries)),
      refused: this.refused,
      triesPerClient: this.#tried / clients,
      objectQueueMs: this.#queueMs,
      messages: this.messages,
      tries: Array.from(this.#tries, (tries) => tries ?? 0),
      returned: Array.from(this.#returned, (returned) => returned ?? 0),
    };
  }
}

function count(buckets: number[], nowMs: number): void {
  const bucket = Math.floor(nowMs / BUCKET_MS);
  buckets[bucket] = (buckets[bucket] ?? 0) + 1;
}

/** Sums over ten neighbouring buckets. */
function inSeconds(buckets: readonly number[]): number[] {
  const seconds: number[] = [];
  for (let at = 0; at < buckets.length; at += 10) {
    let sum = 0;
    for (let n = at; n < at + 10; n++) sum += buckets[n] ?? 0;
    seconds.push(sum);
  }
  return seconds;
}
