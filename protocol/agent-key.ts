/**
 * How an agent proves that it holds its key: the headers, and the bytes from which both sides compute the proof. Rules
 * AK1 to AK8.
 *
 * X25519, HKDF and HMAC come from the platform: node:crypto in the agent, WebCrypto in the relay.
 */
import { decodeBase64url, encodeBase64url } from './base64url.ts';

/** In the agent's upgrade request: its public key. */
export const AGENT_KEY_HEADER = 'Holdfast-Agent-Key';

/** In the relay's 101 answer: the challenge that the agent answers with `prove`. */
export const CHALLENGE_HEADER = 'Holdfast-Challenge';

export const KEY_BYTES = 32;
export const NONCE_BYTES = 32;
export const MAC_BYTES = 32;

const LABEL = 'holdfast agent v1';

export interface Challenge {
  /** The relay's public key, generated for this connection only. */
  readonly relayKey: Uint8Array<ArrayBuffer>;
  readonly nonce: Uint8Array<ArrayBuffer>;
}

/** Null unless `text` is a key in its canonical encoding. */
export function decodeKey(text: string): Uint8Array<ArrayBuffer> | null {
  return decodeBase64url(text, KEY_BYTES);
}

export function encodeChallenge({ relayKey, nonce }: Challenge): string {
  return `${encodeBase64url(relayKey)}.${encodeBase64url(nonce)}`;
}

export function decodeChallenge(text: string): Challenge | null {
  const [first = '', second = '', ...more] = text.split('.');
  const relayKey = decodeBase64url(first, KEY_BYTES);
  const nonce = decodeBase64url(second, NONCE_BYTES);
  return relayKey === null || nonce === null || more.length > 0 ? null : { relayKey, nonce };
}

/** The inputs of one proof. */
export interface ProofFacts extends Challenge {
  /** A workspace name is ASCII. */
  readonly workspace: string;
  readonly agentKey: Uint8Array;
}

/** The `info` of HKDF: label ‖ 0 ‖ length of the workspace ‖ workspace ‖ both public keys. The salt is the nonce. */
export function proofContext({ workspace, agentKey, relayKey }: ProofFacts): Uint8Array<ArrayBuffer> {
  return joined([ascii(LABEL), [0, workspace.length], ascii(workspace), agentKey, relayKey]);
}

/** The input of the MAC: the context again, and the nonce. */
export function proofTranscript(facts: ProofFacts): Uint8Array<ArrayBuffer> {
  return joined([proofContext(facts), facts.nonce]);
}

/** Compares in constant time for texts of equal length; the length of a proof is not secret. */
export function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i);
  return difference === 0;
}

const ascii = (text: string) => Array.from(text, (char) => char.charCodeAt(0));

function joined(parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}
