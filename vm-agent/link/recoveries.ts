/** How well clients get their sessions back: told by the agent as it happens, read by its metrics. */

export interface Recovery {
  /** From the question to the last byte of the replay on the link. */
  readonly ms: number;
  readonly kind: 'delta' | 'snapshot';
  /** Whether the client had something of the session before: it came back, and is not new. */
  readonly isReturn: boolean;
  readonly lostBytes: number;
}

export interface RecoveryObserver {
  recovered(recovery: Recovery): void;
  /** A client asked for a session and did not get it. */
  failed(): void;
  /** A snapshot was sent, so many bytes long on the wire. */
  snapshotSent(bytes: number): void;
}

export const ignoreRecoveries: RecoveryObserver = { recovered() {}, failed() {}, snapshotSent() {} };
