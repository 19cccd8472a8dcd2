/**
 * Tells subscribed browsers when a session wants attention. push-rules.ts decides, the registry remembers, and
 * push-service.ts sends; this file connects them.
 *
 * Nothing waits for a push service. What has to be sent is stored first, so that neither an eviction nor a deploy loses
 * it; one that is interrupted in the middle is sent again, and replaces itself on the screen.
 */
import {
  ATTENTION_TEXT_MAX_CHARS,
  PUSH_NAME_MAX_CHARS,
  PUSH_RETRIES_MS,
  PUSHES_BURST_MAX,
  PUSHES_IN_FLIGHT_MAX,
  PUSHES_PER_S_MAX,
  PUSHES_TO_HOST_MAX,
} from '../../protocol/limits.ts';
import type { PushNote } from '../../protocol/messages/push-note.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { Bucket } from '../metering/bucket.ts';
import { PUSH_COST, type Turn } from '../metering/turn.ts';
import { readContact } from '../platform/contact.ts';
import { errorName, log } from '../platform/log.ts';
import { allowedEndpoint, type PushHost, readPushHosts } from '../push/push-hosts.ts';
import { outcomeOf, type Planned, plan } from '../push/push-rules.ts';
import { type PostPush, type Push, postPush } from '../push/push-service.ts';
import { makeVapidKey } from '../push/vapid.ts';
import type { QueuedPush } from '../registry/push-queue.ts';
import type { PushSubscription, SubscribeOutcome } from '../registry/push-subscriptions.ts';
import type { Registry } from '../registry/registry.ts';
import { concerns, isRevoked, type Revocation } from '../registry/revocation.ts';
import type { ObjectAlarm } from './object-alarm.ts';

interface PushesParts {
  readonly registry: Registry;
  readonly alarm: ObjectAlarm;
  readonly turn: Turn;
  readonly hosts: readonly PushHost[];
  /** The owner of the relay, as `mailto:` or `https:` address; null when the relay names nobody. */
  readonly contact: string | null;
  readonly post: PostPush;
  readonly now: () => number;
}

/** The relay's settings about pushes. */
export interface PushSettings {
  readonly RELAY_PUSH_HOSTS?: string;
  readonly RELAY_SECURITY_CONTACT?: string;
}

/** With the network and the relay's settings. */
export function openPushes(
  { RELAY_PUSH_HOSTS, RELAY_SECURITY_CONTACT }: PushSettings,
  parts: Omit<PushesParts, 'hosts' | 'contact' | 'post'>,
): Pushes {
  const contact = readContact(RELAY_SECURITY_CONTACT);
  // A telephone number is a contact too, but not here.
  const isUsable = contact !== null && /^(?:mailto|https):/.test(contact);
  const hosts = readPushHosts(RELAY_PUSH_HOSTS);
  return new Pushes({ ...parts, hosts, contact: isUsable ? contact : null, post: postPush });
}

export class Pushes {
  readonly #parts: PushesParts;
  readonly #bucket: Bucket;
  /** The host that each push was sent to, by push. */
  readonly #inFlight = new Map<string, string>();
  /** Nothing is due before this time. Zero after a wake-up, when that is not known. */
  #nextAt = 0;

  constructor(parts: PushesParts) {
    this.#parts = parts;
    const size = { capacity: PUSHES_BURST_MAX, refillPerS: PUSHES_PER_S_MAX };
    this.#bucket = new Bucket(parts.now(), size);
  }

  /** What was known of a session, and what its agent tells. Runs for every change of a session. */
  noticed(before: SessionInfo | null, told: SessionInfo, now: number): void {
    const { subscriptions, pushes } = this.#parts.registry;
    if (told.attention === undefined || subscriptions.list().length === 0) return;
    if (told.attention.at !== before?.attention?.at) {
      const planned = plan(told.attention.at, pushes.planned(told.id), now);
      if (planned !== null) this.#enqueue(told.id, planned);
    }
    this.send(now);
  }

  #enqueue(session: string, planned: Planned): void {
    const { subscriptions, pushes } = this.#parts.registry;
    pushes.plan(session, planned);
    for (const { id, muted } of subscriptions.list()) {
      if (muted.includes(session)) continue;
      if (!pushes.add({ subscription: id, session, ...planned, attempts: 0 })) pushes.count('dropped');
    }
    this.#nextAt = Math.min(this.#nextAt, planned.dueAt);
  }

  /** Sends what is due, and sets the alarm for the rest. */
  send(now: number): void {
    if (now < this.#nextAt) return;
    const { pushes } = this.#parts.registry;
    for (const queued of pushes.due(now)) {
      const key = keyOf(queued);
      if (this.#inFlight.has(key)) continue;
      // One that was never answered, because the relay ended each time, is given up too.
      if (queued.attempts > PUSH_RETRIES_MS.length) {
        pushes.count('dropped');
        pushes.remove(queued);
        continue;
      }
      const push = this.#pushOf(queued, now);
      if (push === null) pushes.remove(queued);
      else if (this.#hasRoomFor(push.endpoint.host)) this.#begin(key, queued, push, now);
    }
    const next = pushes.nextDue(now);
    // Those that are due and found no room are sent when others have ended.
    this.#nextAt = next ?? Number.POSITIVE_INFINITY;
    this.#parts.alarm.plan(next);
  }

  /** The public half of the key that browsers need to subscribe. It is made when it is first needed. */
  async publicKey(): Promise<string> {
    const { subscriptions } = this.#parts.registry;
    const key = subscriptions.key() ?? subscriptions.keepKey(await makeVapidKey());
    return key.publicKey;
  }

  subscribe(asked: PushSubscription, now: number): SubscribeOutcome {
    const { subscriptions } = this.#parts.registry;
    for (const one of subscriptions.list()) if (!this.#isValid(one, now)) subscriptions.remove(one.id);
    return subscriptions.add(asked);
  }

  /** False when this person has no such subscription. */
  unsubscribe(id: string, person: string): boolean {
    const { subscriptions } = this.#parts.registry;
    const isOwn = subscriptions.get(id)?.person === person;
    if (isOwn) subscriptions.remove(id);
    return isOwn;
  }

  /** Whoever may no longer read what happens here is no longer told either. */
  revoked(revocation: Revocation): void {
    const { subscriptions } = this.#parts.registry;
    for (const { id, credential } of subscriptions.list())
      if (concerns(revocation, credential)) subscriptions.remove(id);
  }

  #begin(key: string, queued: QueuedPush, push: Push, now: number): void {
    const { registry, turn } = this.#parts;
    this.#bucket.take(1, now);
    if (this.#bucket.isEmpty) {
      registry.pushes.count('dropped');
      return registry.pushes.remove(queued);
    }
    this.#inFlight.set(key, push.endpoint.host);
    registry.pushes.attempted(queued);
    turn.spend(PUSH_COST, now);
    void this.#deliver(key, queued, push, now);
  }

  async #deliver(key: string, queued: QueuedPush, push: Push, sentAt: number): Promise<void> {
    const answer = await this.#parts.post(push, sentAt);
    this.#inFlight.delete(key);
    const now = this.#parts.now();
    try {
      this.#settle(queued, answer, now);
      this.#nextAt = 0;
      this.send(now);
    } catch (error) {
      // The storage failed. What is still in the queue is sent after the next wake-up.
      log('error', 'push_unrecorded', { error: errorName(error) });
    }
  }

  #settle(queued: QueuedPush, answer: Awaited<ReturnType<PostPush>>, now: number): void {
    const { pushes, subscriptions } = this.#parts.registry;
    const outcome = outcomeOf(answer, queued.attempts + 1, now);
    pushes.count(outcome.kind === 'sent' ? 'sent' : 'failed');
    if (outcome.kind === 'retry') return pushes.postpone(queued, outcome.dueAt);
    pushes.remove(queued);
    if (outcome.kind === 'gone') subscriptions.remove(queued.subscription);
    if (outcome.kind === 'refused') {
      pushes.count('dropped');
      log('warn', 'push_dropped', { code: answer?.status ?? 'no_answer' });
    }
  }

  /** Null when it is no longer wanted: somebody has looked, something newer happened, or nobody may be told. */
  #pushOf({ subscription: id, session: sessionId, moment }: QueuedPush, now: number): Push | null {
    const { registry, hosts, contact } = this.#parts;
    const subscription = registry.subscriptions.get(id);
    const session = registry.sessions.get(sessionId, now);
    const sender = registry.subscriptions.key();
    if (subscription === undefined || sender === null || session?.attention?.at !== moment) return null;
    if (session.status === 'lost' || subscription.muted.includes(sessionId)) return null;
    const endpoint = allowedEndpoint(subscription.endpoint, hosts);
    if (endpoint === null || !this.#isValid(subscription, now)) {
      registry.subscriptions.remove(id);
      return null;
    }
    const { page, p256dh, auth } = subscription;
    const subject = contact ?? (page.startsWith('https:') ? new URL(page).origin : null);
    const note = noteOf(session, session.attention, page.slice(page.lastIndexOf('/') + 1));
    return { endpoint, keys: { p256dh, auth }, note, sender, subject };
  }

  #isValid({ credential }: PushSubscription, now: number): boolean {
    return now < credential.expiresAt && !isRevoked(credential, this.#parts.registry.revocations());
  }

  #hasRoomFor(host: string): boolean {
    const hosts = [...this.#inFlight.values()];
    const toHost = hosts.filter((one) => one === host).length;
    return hosts.length < PUSHES_IN_FLIGHT_MAX && toHost < PUSHES_TO_HOST_MAX;
  }
}

const keyOf = ({ subscription, session }: QueuedPush): string => `${subscription} ${session}`;

function noteOf(
  { id, name }: SessionInfo,
  { state, text, at }: NonNullable<SessionInfo['attention']>,
  workspace: string,
): PushNote {
  return {
    workspace,
    session: id,
    name: printable(name, PUSH_NAME_MAX_CHARS),
    state,
    text: printable(text, ATTENTION_TEXT_MAX_CHARS),
    at,
  };
}
