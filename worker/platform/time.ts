/** The platform's clock, as the object needs it. A parameter, so that tests move time by hand. */
export interface Time {
  now(): number;
  /** When the platform last answered this socket's heartbeat, as far as it does; null when it never did. */
  heartbeatAt(socket: WebSocket): number | null;
  /** Wakes the object at this moment. There is one alarm; a new one replaces it. */
  setAlarm(at: number): void;
  /** No event reaches the object for this long. */
  pause(ms: number): void;
  /** Ends all connections at once, also those that do not answer; the object begins anew with what is stored. */
  reset(reason: string): void;
}

/** A timer is hardly ever exact. */
const LATE_MIN_MS = 5;
/** What is waited for at most because the process was busy; the next pause may be as long again. */
const LATE_MAX_MS = 250;

/**
 * A timer that rings late shows that the process had more to do than it can, by what this workspace has caused or by others. Then it
 * stands back for as long again: what work costs is estimated, and this is measured.
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

/** `answersHeartbeats`: whether the platform does. */
export function platformTime(ctx: DurableObjectState, answersHeartbeats: boolean): Time {
  const wokenAt = Date.now();
  return {
    now: () => Date.now(),
    // Where the object itself does, it has forgotten when it last did: who was there then is given its time anew.
    heartbeatAt: (socket) =>
      answersHeartbeats ? (ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? null) : wokenAt,
    setAlarm: (at) => void ctx.storage.setAlarm(at),
    pause(ms) {
      const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
      // An object that is reset meanwhile has nothing left to pause.
      ctx.blockConcurrencyWhile(() => longEnough(ms, Date.now, sleep)).catch(() => {});
    },
    reset: (reason) => void ctx.storage.sync().then(() => ctx.abort(reason)),
  };
}
