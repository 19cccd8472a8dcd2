/** Handles client requests and answers them. */

import type { Clock } from '../../protocol/clock.ts';
import { ProtocolError, Refusal, viewOnly } from '../../protocol/errors.ts';
import { ACTOR_MAX_CHARS, INVENTORY_PAGE_BYTES } from '../../protocol/limits.ts';
import {
  CLIENT_MESSAGE_HANDLING,
  type ClientMessage,
  type ClientMessageOf,
} from '../../protocol/messages/client-message.ts';
import { errorMessage, type RefusedMessage } from '../../protocol/messages/server-message.ts';
import { pagesOf } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { sessionDigest } from '../attention/session-digest.ts';
import type { Session } from '../session/session.ts';
import type { SessionManager } from '../session/session-manager.ts';
import { Assistants } from './assistants.ts';
import { type Asker, type Attaching, describingOf } from './attaching.ts';
import { Awaits } from './awaits.ts';
import { type Picture, Pictures } from './pictures.ts';
import type { RecoveryObserver } from './recoveries.ts';
import { Refreshes } from './refreshes.ts';
import type { Uplink } from './uplink.ts';

type Question = ClientMessageOf<'take_snapshot'>;

interface RequestParts {
  readonly sessions: SessionManager;
  readonly uplink: Uplink;
  readonly attaching: Attaching;
  readonly recoveries: RecoveryObserver;
  /** The agent's metrics, for a client that asks. */
  readonly metrics: () => string;
  readonly clock: Clock;
}

export class ClientRequests {
  readonly #parts: RequestParts;
  readonly #pictures: Pictures;
  readonly #refreshes: Refreshes;
  readonly #assistants: Assistants;
  /** Requests that wait until something happens. */
  readonly awaits: Awaits;

  constructor(parts: RequestParts) {
    this.#parts = parts;
    this.#assistants = new Assistants(parts.sessions, parts.uplink, (channel, asked, act) =>
      this.answering(channel, asked, act),
    );
    this.#refreshes = new Refreshes({
      clock: parts.clock,
      tell: (session) => this.#describe(session),
      answer: ({ channel, request }) => parts.uplink.reply(channel, { type: 'sessions_refreshed', request }),
    });
    this.awaits = new Awaits({
      clock: parts.clock,
      answer: (channel, answer) => parts.uplink.reply(channel, answer),
      refuse: (channel, question, refusal) => parts.uplink.reply(channel, errorMessage(refusal, question)),
    });
    this.#pictures = new Pictures({
      clock: parts.clock,
      windowOf: (owner) => parts.sessions.windows.of(owner),
      send: (session, channel, question, taken) => this.#sendPicture(session, channel, question, taken),
      answering: (channel, question, act) => this.answering(channel, question, act),
    });
  }

  handle(
    { channel, role, name }: Pick<Asker, 'channel' | 'role'> & Partial<Asker>,
    message: ClientMessage,
  ): void {
    this.answering(channel, message, () => {
      const { answeredBy, forViewers } = CLIENT_MESSAGE_HANDLING[message.type];
      if (!forViewers || answeredBy === 'relay') requireOperator(role);
      this.#answer({ channel, role, name: shownName(name) }, message);
    });
  }

  /** Requests of the previous link are not answered on this one. */
  linkOpened(): void {
    this.awaits.linkOpened();
    this.#pictures.clear();
    this.#refreshes.forget();
    this.#assistants.linkOpened();
  }

  clientDropped(channel: number): void {
    this.awaits.clientDropped(channel);
    this.#pictures.forget(channel);
    this.#assistants.clientDropped(channel);
  }

  /** The one place that turns a refusal into an answer. */
  answering(channel: number, asked: RefusedMessage, act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#parts.uplink.reply(channel, errorMessage(error, asked));
    }
  }

  #answer(asker: Asker, message: ClientMessage): void {
    const { channel, role } = asker;
    const { attaching, metrics, sessions, uplink } = this.#parts;
    switch (message.type) {
      case 'create_session':
        return this.#create(channel, message);
      case 'reattach_session':
        return attaching.attach(asker, message);
      case 'hide_session':
        return attaching.hide(channel, sessions.find(message.session), describingOf(message));
      case 'detach_session':
        return attaching.detach(channel, sessions.find(message.session));
      case 'close_session':
        return this.#close(message);
      case 'rename_session':
        return this.#rename(message);
      case 'refresh_sessions':
        if (message.session !== undefined) sessions.find(message.session);
        return this.#refreshes.ask(message.session, { channel, request: message.request });
      case 'resize':
        return this.#resize(channel, message);
      case 'take_snapshot':
        return this.#pictures.take(sessions.find(message.session), { channel, role }, message);
      case 'list_commands':
        return this.#listCommands(channel, message);
      case 'await_session':
        return this.awaits.begin(channel, sessions.find(message.session), message);
      case 'read_digest':
        return this.#readDigest(channel, message);
      case 'read_metrics':
        return uplink.reply(channel, { type: 'metrics', request: message.request, text: metrics() });
      case 'run_command':
        return this.#assistants.run(asker, message);
      case 'type_text':
        return this.#assistants.type(asker, message);
      case 'signal_session':
        return this.#assistants.signal(channel, message);
      case 'take_keyboard':
        return sessions.find(message.session).assist.typing.take(asker.name ?? 'Somebody');
      case 'hand_back_keyboard':
        return sessions.find(message.session).assist.typing.handBack();
      case 'list_sessions':
      case 'load_layout':
      case 'save_layout':
      case 'read':
        throw new ProtocolError(`the relay answers ${message.type} itself`);
    }
  }

  #create(channel: number, message: ClientMessageOf<'create_session'>): void {
    const { sessions, uplink } = this.#parts;
    const { cols, rows, request } = message;
    const found = sessions.existing(message) === undefined ? {} : { found: true };
    const session = sessions.create({ ...message, size: { cols, rows } });
    const created = () =>
      uplink.reply(channel, { type: 'session_created', request, session: session.info, ...found });
    if (session.starting === null) return created();
    const refused = (error: unknown) =>
      this.answering(channel, message, () => {
        throw error;
      });
    session.starting.then(created).catch(refused);
  }

  #close({ session, afterMs = 0 }: ClientMessageOf<'close_session'>): void {
    const { sessions } = this.#parts;
    const found = sessions.find(session);
    if (afterMs > 0) sessions.closeLater(found, afterMs);
    else sessions.close(found, 'closed');
  }

  #rename({ session, name }: ClientMessageOf<'rename_session'>): void {
    const { sessions, uplink } = this.#parts;
    const given = sessions.rename(sessions.find(session), name);
    uplink.tellEverybody({ type: 'session_renamed', session, name: given });
  }

  /**
   * Descriptions come first in the ordered stream, so a client that then asks the relay for its list sees them. [AG9]
   */
  #describe(id: string | undefined): void {
    const { sessions, uplink } = this.#parts;
    for (const { identity, info } of sessions.list())
      if (id === undefined || identity.id === id) uplink.tell({ type: 'session_changed', session: info });
  }

  #resize(channel: number, message: ClientMessageOf<'resize'>): void {
    const { sessions, uplink } = this.#parts;
    const session = sessions.find(message.session);
    session.clients.windowChanged(channel, message, message.takeOver ?? false);
    const { request } = message;
    if (request === undefined) return;
    if (session.exit !== null) throw new Refusal('session_exited', 'The program of this session has ended.');
    uplink.tell({ type: 'session_changed', session: session.info });
    uplink.reply(channel, { type: 'session_resized', request, session: message.session, ...session.size });
  }

  #listCommands(channel: number, { request, session }: ClientMessageOf<'list_commands'>): void {
    const { sessions, uplink } = this.#parts;
    for (const { page: commands, ...more } of pages(sessions.find(session).commands.list))
      uplink.reply(channel, { type: 'command_list', request, session, commands, ...more });
  }

  #readDigest(channel: number, { request, since }: ClientMessageOf<'read_digest'>): void {
    const { sessions, uplink } = this.#parts;
    const digests = sessions.list().flatMap((session) => sessionDigest(session, Date.parse(since)) ?? []);
    for (const { page, ...more } of pages(digests))
      uplink.reply(channel, { type: 'digest', request, sessions: page, ...more });
  }

  #sendPicture(session: Session, channel: number, question: Question, taken: Picture): void {
    const { recoveries, uplink } = this.#parts;
    const { command, request, format, scope = 'all' } = question;
    const { cursor, deflated, linesAbove, lost = 0, offset, size } = taken;
    const of = { request, session: question.session, handle: session.identity.handle, format };
    const cut = {
      ...(scope === 'all' && linesAbove > 0 ? { linesAbove } : {}),
      ...(command === undefined ? {} : { command }),
      ...(lost > 0 ? { lost } : {}),
      ...(cursor !== undefined && scope === 'screen' && format === 'text' ? { cursor } : {}),
    };
    uplink.reply(channel, { type: 'snapshot_taken', ...of, offset, ...size, bytes: deflated.length, ...cut });
    uplink.snapshot(session, channel, deflated);
    recoveries.snapshotSent(deflated.length);
  }
}

/** The pages of a long answer, each of which fits a message. */
function pages<T>(items: readonly T[]): { readonly page: T[]; readonly more?: true }[] {
  const bytesOf = (item: T) => Buffer.byteLength(JSON.stringify(item));
  const all = pagesOf(items, bytesOf, INVENTORY_PAGE_BYTES);
  return all.map((page, i) => (i + 1 < all.length ? { page, more: true } : { page }));
}

/** What the relay calls a client, for people to read. */
function shownName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : printable(name, ACTOR_MAX_CHARS) || undefined;
}

export function requireOperator(role: ClientRole): void {
  if (role === 'viewer') throw viewOnly();
}
