/**
 * Checks whether the relay answers, accepts the token, and agrees on the time. None of this disturbs a running agent.
 */

import type { TokenReading } from '../../node/token-file.ts';
import { errorSentence } from '../../protocol/error-reply.ts';
import { printable } from '../../protocol/printable.ts';
import type { AgentConfig } from '../settings/config.ts';
import type { Pin } from './check-key.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { readAnswer } from './read-answer.ts';

/** Dialling would give up after this time too. */
const ANSWER_WITHIN_MS = 10_000;

/** A ticket lives 30 s, and short-lived tokens little longer: with more skew than this they fail unexpectedly. */
const SKEW_MAX_MS = 30_000;

type Place = Pick<AgentConfig, 'relay' | 'workspace'>;

export async function checkRelay(place: Place, reading: TokenReading, now: () => Date): Promise<Finding[]> {
  const began = now();
  const health = await ask(new URL('/health', place.relay));
  if (!health.ok)
    return [fail('relay', `${place.relay} cannot be reached: ${health.why}. ${advice(health.why)}`)];
  const ended = now();
  const took = ended.getTime() - began.getTime();
  const { status, version } = (health.json ?? {}) as { status?: string; version?: string };
  if (status !== 'ok')
    return [
      fail(
        'relay',
        `${place.relay} answers ${health.status}, but is not a Holdfast relay; check the address (HOLDFAST_RELAY).`,
      ),
    ];
  return [
    ok('relay', `${place.relay} answers in ${took} ms (version ${version})`),
    ...(reading.ok ? [await checkAdmission(place, reading.token)] : []),
    checkClock(health.date, new Date((began.getTime() + ended.getTime()) / 2)),
  ];
}

/**
 * Requests the agent's address without an upgrade. The gate checks the token first, and an accepted request is told
 * that only sockets are served here. Opening the socket would check more, but would replace the running agent.
 */
async function checkAdmission({ relay, workspace }: Place, token: string): Promise<Finding> {
  const answer = await ask(new URL(`/ws/agent/${workspace}`, relay), { Authorization: `Bearer ${token}` });
  if (!answer.ok) return fail('admission', `The relay did not answer: ${answer.why}.`);
  if (answer.status === 426) return ok('admission', 'the relay accepts the token');
  return fail(
    'admission',
    `The relay answers ${answer.status}: ${errorSentence(answer.json) ?? 'no reason given'}`,
  );
}

/** Which key the relay has pinned; an older relay has no such endpoint. */
export async function askPin({ relay, workspace }: Place, reading: TokenReading): Promise<Pin> {
  if (!reading.ok) return { kind: 'unknown' };
  const headers = { Authorization: `Bearer ${reading.token}` };
  const answer = await ask(new URL(`/api/workspaces/${workspace}/agent-key`, relay), headers);
  if (!answer.ok || answer.status !== 200) return { kind: 'unknown' };
  const { key } = (answer.json ?? {}) as { key?: { fingerprint?: unknown } | null };
  if (key === null) return { kind: 'none' };
  return typeof key?.fingerprint === 'string'
    ? { kind: 'pinned', fingerprint: printable(key.fingerprint) }
    : { kind: 'unknown' };
}

export function checkClock(date: string | null, here: Date): Finding {
  const there = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(there)) return ok('clock', 'the relay sent no time to compare with');
  // The header is in whole seconds.
  const skew = Math.max(0, Math.abs(here.getTime() - there - 500) - 500);
  const seconds = Math.round(skew / 1000);
  if (skew > SKEW_MAX_MS)
    return warn(
      'clock',
      `This machine's clock is ${seconds} s off the relay's; turn on NTP (timedatectl set-ntp true).`,
    );
  return ok('clock', `agrees with the relay's within ${Math.max(1, seconds)} s`);
}

type Answer =
  | { readonly ok: true; readonly status: number; readonly json: unknown; readonly date: string | null }
  | { readonly ok: false; readonly why: string };

async function ask(url: URL, headers: Record<string, string> = {}): Promise<Answer> {
  try {
    const response = await fetch(url, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const json = await readAnswer(response);
    return { ok: true, status: response.status, json, date: response.headers.get('Date') };
  } catch (error) {
    return { ok: false, why: reasonOf(error) };
  }
}

/** `fetch` only says "fetch failed"; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { code, message: deeper } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? deeper ?? message;
}

function advice(why: string): string {
  if (why === 'ENOTFOUND' || why === 'EAI_AGAIN')
    return 'The host name cannot be resolved: check the address (HOLDFAST_RELAY) and DNS.';
  if (why === 'ECONNREFUSED') return 'Nothing listens there: check the port, and that the relay is running.';
  if (/CERT|SSL|TLS/.test(why))
    return 'Its certificate is not trusted here: set NODE_EXTRA_CA_CERTS to the file of your own certificate authority.';
  return 'Check that this machine may connect to it.';
}
