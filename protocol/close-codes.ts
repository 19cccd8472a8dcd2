/**
 * WebSocket close codes: why a socket was closed, and whether reconnecting can help. Rule WF9.
 *
 * Codes below 4000 are defined by the WebSocket standard. Ours correspond to the HTTP status of the same meaning.
 */

/**
 * `yes`: a temporary failure, reconnect. `renewed`: reconnect only with another credential. `no`: it would fail the
 * same way.
 */
export type Redial = 'yes' | 'renewed' | 'no';

export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  abnormal: 1006,
  internalError: 1011,
  protocolError: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  notFound: 4404,
  versionUnsupported: 4406,
  silent: 4408,
  replaced: 4409,
  tooLarge: 4413,
  tooMany: 4429,
} as const;

type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];

interface Meaning {
  readonly redial: Redial;
  readonly sentence: string;
}

const MEANINGS: Readonly<Record<CloseCode, Meaning>> = {
  [CLOSE.normal]: { redial: 'no', sentence: 'The connection was closed on purpose.' },
  [CLOSE.goingAway]: { redial: 'yes', sentence: 'The other side is restarting.' },
  [CLOSE.abnormal]: { redial: 'yes', sentence: 'The connection was lost.' },
  [CLOSE.internalError]: { redial: 'yes', sentence: 'The other side failed.' },
  [CLOSE.protocolError]: { redial: 'no', sentence: 'A message broke the rules of the protocol.' },
  [CLOSE.unauthorized]: { redial: 'renewed', sentence: 'The credential is missing, expired or revoked.' },
  [CLOSE.forbidden]: { redial: 'no', sentence: 'This credential does not allow that.' },
  [CLOSE.notFound]: { redial: 'no', sentence: 'There is nothing at this address.' },
  [CLOSE.versionUnsupported]: { redial: 'no', sentence: 'The two sides have no protocol version in common.' },
  [CLOSE.silent]: { redial: 'yes', sentence: 'The connection was silent for too long.' },
  [CLOSE.replaced]: { redial: 'no', sentence: 'A newer agent has taken over this workspace.' },
  [CLOSE.tooLarge]: { redial: 'no', sentence: 'A message was larger than allowed.' },
  [CLOSE.tooMany]: { redial: 'yes', sentence: 'There are too many connections, or too many messages.' },
};

/** Unknown codes count as temporary failures, because proxies make up their own. */
const UNKNOWN: Meaning = { redial: 'yes', sentence: 'The connection was closed.' };

function meaningOf(code: number): Meaning {
  return (MEANINGS as Readonly<Record<number, Meaning>>)[code] ?? UNKNOWN;
}

export function redialAfter(code: number): Redial {
  return meaningOf(code).redial;
}

export function closeSentence(code: number): string {
  return meaningOf(code).sentence;
}

/** The close code that corresponds to the HTTP status of a refused upgrade. */
export function closeCodeOfStatus(status: number): CloseCode {
  switch (status) {
    case 401:
      return CLOSE.unauthorized;
    case 403:
      return CLOSE.forbidden;
    case 404:
      return CLOSE.notFound;
    case 426:
      return CLOSE.versionUnsupported;
    case 429:
      return CLOSE.tooMany;
    default:
      return CLOSE.abnormal;
  }
}

/** 1005, 1006 and 1015 only report a local observation; no endpoint may send them (RFC 6455 §7.4.1). */
export function mayBeSent(code: number): boolean {
  return (
    code === 1000 ||
    (code >= 1001 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006) ||
    (code >= 3000 && code <= 4999)
  );
}

/**
 * A close reason is at most 123 bytes of UTF-8. Ours are ASCII unless they quote a peer, so other characters are
 * replaced.
 */
export function closeReason(sentence: string): string {
  return sentence.replace(/[^\x20-\x7e]/g, '?').slice(0, 123);
}
