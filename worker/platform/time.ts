/** The clock and timers of a Durable Object. It is passed as a parameter, so that tests control time. */
export interface Time {
  now(): number;
  /** When this socket's heartbeat was last answered automatically by the platform; null when it never was. */
  heartbeatAt(socket: WebSocket): number | null;
  /** Wakes the object at this time. There is one alarm; a new one replaces it. */
  setAlarm(at: number): void;
  /** Delivers no event to the object for this long, and then calls `ended`. */
  pause(ms: number, ended: () => void): void;
  /** Ends all connections at once, including those that do not answer. The object restarts from its storage. */
  reset(reason: string): void;
}

/** Timers are rarely exact; a smaller delay means nothing. */
const LATE_MIN_MS = 5;
/** The longest extra pause because the process was busy. The next pause may add as much again. */
const LATE_MAX_MS = 250;

/**
 * Sleeps, and sleeps longer if the timer fires late. A late timer shows that the process is overloaded, by this
 * workspace or by others, so the pause is extended by the same amount. The cost of work is only estimated; this is
 * measured.
 */
export async function longEnough(
  ms: number,
  now: () => number,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  const dueAt = now() + ms;
  await sleep(ms);
  const lateMs = now() - dueAt;
  if (lateMs >= LATE_MIN_MS) await sleep(Math.min(lateMs, LATE_MAX_MS));
}

/** `answersHeartbeats`: whether the platform answers heartbeats. */
export function platformTime(ctx: DurableObjectState, answersHeartbeats: boolean): Time {
  const wokenAt = Date.now();
  return {
    now: () => Date.now(),
    // If the object answers heartbeats itself, an eviction loses when it last did, so every peer gets its full time
    // again.
    heartbeatAt: (socket) =>
      answersHeartbeats ? (ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? null) : wokenAt,
    setAlarm: (at) => void ctx.storage.setAlarm(at),
    pause(ms, ended) {
      const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
      // Rejects when the object is reset meanwhile; there is nothing left to pause then.
      ctx.blockConcurrencyWhile(() => longEnough(ms, Date.now, sleep).then(ended)).catch(() => {});
    },
    reset: (reason) => void ctx.storage.sync().then(() => ctx.abort(reason)),
  };
}
