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
      const elapsed = () => new Promise<void>((resolve) => setTimeout(resolve, ms));
      // An object that is reset meanwhile has nothing left to pause.
      ctx.blockConcurrencyWhile(elapsed).catch(() => {});
    },
    reset: (reason) => void ctx.storage.sync().then(() => ctx.abort(reason)),
  };
}
