/**
 * Tells subscribed browsers when a session wants attention. push-rules.ts decides, the registry remembers, and
 * push-service.ts sends; this file connects them.
 *
 * Nothing waits for a push service. What has to be sent is stored first, so that neither an eviction nor a deploy loses
 * it; one that is interrupted in the middle is sent again, and replaces itself on the screen.
 */
import { ATTENTION_TEXT_MAX_CHARS, PUSH_NAME_MAX_CHARS, PUSH_RETRIES_MS } from '../../protocol/limits.ts';
import type { PushNote } from '../../protocol/messages/push-note.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { PUSH_COST, QUEUED_COST, ROW_COST, type Turn } from '../metering/turn.ts';
import { readContact } from '../platform/contact.ts';
import { errorName, log } from '../platform/log.ts';
import { allowedEndpoint, type PushHost, readPushHosts } from '../push/push-hosts.ts';
import { outcomeOf, type Planned, plan } from '../push/push-rules.ts';
import { type PostPush, type Push, postPush } from '../push/push-service.ts';
import { makeVapidKey, type VapidKey } from '../push/vapid.ts';
import type { QueuedPush } from '../registry/push-queue.ts';
import type { PushSubscription, SubscribeOutcome } from '../registry/push-subscriptions.ts';
import type { Registry } from '../registry/registry.ts';
import { concerns, isRevoked, type Revocation } from '../registry/revocation.ts';
import type { ObjectAlarm } from './object-alarm.ts';
import { PushRoom, QueuePlaces } from './push-room.ts';

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

/** How many pushes and subscriptions are looked at, in memory, in the time of one unit of a turn. */
const LOOKED_AT_PER_UNIT = 16;

/** A push that somebody is still to get. */
interface Wanted {
  readonly subscription: PushSubscription;
  readonly session: SessionInfo;
  readonly attention: NonNullable<SessionInfo['attention']>;
}

export class Pushes {
  readonly #parts: PushesParts;
  readonly #room: PushRoom;
  /** Whether an agent has told of attention since the last `settle`. */
  #isTold = false;
  /** Sessions whose attention has become that of another moment since then. */
  readonly #wanting = new Set<string>();
  /** Nothing is due before this time. Zero after a wake-up, when that is not known. */
  #nextAt = 0;

  constructor(parts: PushesParts) {
    this.#parts = parts;
    this.#room = new PushRoom(parts.now());
  }

  /** What was known of a session, and what its agent tells. Runs for every change of a session, so it only takes note. */
  noticed(before: SessionInfo | null, told: SessionInfo): void {
    if (told.attention === undefined || this.#parts.registry.subscriptions.list().length === 0) return;
    this.#isTold = true;
    if (told.attention.at !== before?.attention?.at) this.#wanting.add(told.id);
  }

  /**
   * Plans what was noticed, and sends what is due. Runs once after every message, because one message of an agent can
   * tell of hundreds of sessions, or of one hundreds of times.
   */
  settle(now: number): void {
    if (!this.#isTold) return;
    this.#isTold = false;
    const wanting = [...this.#wanting];
    this.#wanting.clear();
    if (wanting.length > 0) this.#plan(wanting, now);
    this.send(now);
  }

  #plan(sessions: readonly string[], now: number): void {
    const { registry, turn } = this.#parts;
    const { pushes } = registry;
    const places = this.#places();
    let dropped = 0;
    for (const id of sessions) {
      turn.spend(ROW_COST, now);
      // As it is now: what an agent told in between is no longer of interest.
      const moment = registry.sessions.get(id, now)?.attention?.at;
      const planned = moment === undefined ? null : plan(moment, pushes.planned(id), now);
      if (planned === null) continue;
      pushes.plan(id, planned);
      dropped += this.#enqueue(id, planned, places, now);
    }
    pushes.forgetPlans();
    if (dropped > 0) pushes.count('dropped', dropped);
  }

  #places(): QueuePlaces {
    const { subscriptions, pushes } = this.#parts.registry;
    const roleOf = (id: string) => subscriptions.get(id)?.role ?? 'operator';
    return new QueuePlaces(
      new Map(pushes.waiting().map((waiting) => [keyOf(waiting), roleOf(waiting.subscription)])),
    );
  }

  /** Returns how many found no place. */
  #enqueue(session: string, planned: Planned, places: QueuePlaces, now: number): number {
    const { registry, turn } = this.#parts;
    const wanted = registry.subscriptions.list().filter(({ muted }) => !muted.includes(session));
    const queued = wanted.filter(({ id, role }) => places.take(keyOf({ subscription: id, session }), role));
    for (const { id } of queued) registry.pushes.add({ subscription: id, session, ...planned, attempts: 0 });
    turn.spend(queued.length * QUEUED_COST, now);
    if (queued.length > 0) this.#nextAt = Math.min(this.#nextAt, planned.dueAt);
    return wanted.length - queued.length;
  }

  /** Sends what is due, gives up what takes too long, and sets the alarm for the rest, also if it rang for another. */
  send(now: number): void {
    if (now >= this.#nextAt) this.#look(now);
    this.#parts.alarm.plan(Number.isFinite(this.#nextAt) ? this.#nextAt : null);
  }

  #look(now: number): void {
    this.#room.giveUpLate(now);
    if (!this.#room.isFull) this.#sendDue(now);
    // Those that are due and found no room are sent when others have ended.
    const due = this.#parts.registry.pushes.nextDue(now) ?? Number.POSITIVE_INFINITY;
    this.#nextAt = Math.min(due, this.#room.nextGiveUpAt);
  }

  /** Looks at storage only for those that find room: there may be hundreds that do not. */
  #sendDue(now: number): void {
    const { registry, hosts, turn } = this.#parts;
    const { pushes, subscriptions } = registry;
    const endpoints = new Map(
      subscriptions.list().map(({ id, endpoint }) => [id, allowedEndpoint(endpoint, hosts)]),
    );
    const due = pushes.due(now);
    turn.spend((endpoints.size + due.length) / LOOKED_AT_PER_UNIT, now);
    for (const queued of due) {
      if (this.#room.isFull) return;
      if (this.#room.has(keyOf(queued))) continue;
      // One that was never answered, because the relay ended each time, is given up too.
      const isGivenUp = queued.attempts > PUSH_RETRIES_MS.length;
      if (isGivenUp) pushes.count('dropped');
      const wanted = isGivenUp ? null : this.#wantedOf(queued, now);
      if (wanted === null) pushes.remove(queued);
      else this.#sendOne(queued, wanted, endpoints.get(queued.subscription) ?? null, now);
    }
  }

  #sendOne(queued: QueuedPush, wanted: Wanted, endpoint: URL | null, now: number): void {
    const { registry } = this.#parts;
    const { subscription } = wanted;
    const way = { host: endpoint?.host ?? '', role: subscription.role };
    if (endpoint !== null && !this.#room.hasRoomFor(way)) return;
    const sender = registry.subscriptions.key();
    if (endpoint === null || sender === null || !this.#isValid(subscription, now)) {
      registry.subscriptions.remove(subscription.id);
      return registry.pushes.remove(queued);
    }
    const signal = this.#room.enter(keyOf(queued), way, now);
    if (signal === null) {
      registry.pushes.count('dropped');
      return registry.pushes.remove(queued);
    }
    registry.pushes.attempted(queued);
    this.#parts.turn.spend(PUSH_COST, now);
    const answer = this.#parts.post(this.#pushOf(wanted, endpoint, sender), now, signal);
    void this.#deliver(queued, answer);
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

  async #deliver(queued: QueuedPush, answered: ReturnType<PostPush>): Promise<void> {
    const answer = await answered;
    this.#room.leave(keyOf(queued));
    const now = this.#parts.now();
    try {
      this.#answered(queued, answer, now);
      this.#nextAt = 0;
      this.send(now);
    } catch (error) {
      // The storage failed. What is still in the queue is sent after the next wake-up.
      log('error', 'push_unrecorded', { error: errorName(error) });
    }
  }

  #answered(queued: QueuedPush, answer: Awaited<ReturnType<PostPush>>, now: number): void {
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

  /** Null when it is no longer wanted: somebody has looked, something newer happened, or nobody is to be told. */
  #wantedOf({ subscription: id, session: sessionId, moment }: QueuedPush, now: number): Wanted | null {
    const { sessions, subscriptions } = this.#parts.registry;
    const subscription = subscriptions.get(id);
    const session = sessions.get(sessionId, now);
    const attention = session?.attention;
    if (subscription === undefined || session == null || attention?.at !== moment) return null;
    if (session.status === 'lost' || subscription.muted.includes(sessionId)) return null;
    return { subscription, session, attention };
  }

  #pushOf({ subscription, session, attention }: Wanted, endpoint: URL, sender: VapidKey): Push {
    const { page, p256dh, auth } = subscription;
    const subject = this.#parts.contact ?? (page.startsWith('https:') ? new URL(page).origin : null);
    const note = noteOf(session, attention, page.slice(page.lastIndexOf('/') + 1));
    return { endpoint, keys: { p256dh, auth }, note, sender, subject };
  }

  #isValid({ credential }: PushSubscription, now: number): boolean {
    return now < credential.expiresAt && !isRevoked(credential, this.#parts.registry.revocations());
  }
}

const keyOf = ({ subscription, session }: Pick<QueuedPush, 'subscription' | 'session'>): string =>
  `${subscription} ${session}`;

function noteOf(
  { id, name }: SessionInfo,
  { state, text, at }: Wanted['attention'],
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
