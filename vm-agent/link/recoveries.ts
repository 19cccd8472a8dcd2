/** Reports how well clients get their sessions back. The agent calls it; the metrics implement it. */

export interface Recovery {
  /** From the request to the last byte of the replay on the link. */
  readonly ms: number;
  readonly kind: 'delta' | 'snapshot';
  /** Whether the client already had part of the session, so it came back and is not new. */
  readonly isReturn: boolean;
  readonly lostBytes: number;
}

export interface RecoveryObserver {
  recovered(recovery: Recovery): void;
  /** A client asked for a session and did not get it. */
  failed(): void;
  /** A snapshot was sent; `bytes` is its size on the wire. */
  snapshotSent(bytes: number): void;
}

export const ignoreRecoveries: RecoveryObserver = { recovered() {}, failed() {}, snapshotSent() {} };
