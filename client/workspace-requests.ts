/** What a client asks the relay and the agent, each answered once. */

import { ProtocolError, Refusal } from '../protocol/errors.ts';
import { joinBytes } from '../protocol/join-bytes.ts';
import { COMMANDS_KEPT, LISTED_MAX_SESSIONS, SESSIONS_MAX } from '../protocol/limits.ts';
import type { Ability, ClientMessageOf } from '../protocol/messages/client-message.ts';
import type { SessionCommand } from '../protocol/messages/command-info.ts';
import type { SessionDigest } from '../protocol/messages/digest.ts';
import type { Layout, SnapshotFormat } from '../protocol/messages/message-parts.ts';
import type { SessionInfo } from '../protocol/messages/session-info.ts';
import type { AgentState, Attachments } from './attachments.ts';
import { InputRequest, type TypeOptions } from './requests/input-request.ts';
import { type RepeatLink, requireAbility } from './requests/repeated-request.ts';
import type { AnswerTo, RequestOf, RequestOptions, Requests, RequestType } from './requests/requests.ts';
import type { SessionLink } from './session-link.ts';

export type CreateOptions = Omit<ClientMessageOf<'create_session'>, 'type' | 'request'>;

export interface ListOptions {
  /** Also sessions that are lost, or that a rule has ended. */
  readonly lostToo?: boolean;
  /** Only this session, also when it is lost or a rule has ended it. */
  readonly session?: string;
  /** Also who watches them. */
  readonly people?: boolean;
}

/** A session's screen at one moment, as terminal output, text or HTML. */
export interface TakenSnapshot {
  /** UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly cols: number;
  readonly rows: number;
  /** The snapshot shows the output up to this offset. */
  readonly offset: number;
  /** The beginning is left out, because it is too long or no longer kept; absent when all of it is here. */
  readonly truncated?: true;
  /** Of a screen as text: the cell of the cursor, counted from 1; absent if the agent does not tell. */
  readonly cursor?: { readonly row: number; readonly col: number };
}

/** What a snapshot shows; by default the screen and the history above it. */
interface SnapshotOptions {
  readonly scope?: 'screen' | 'all';
  /** Only the output of the command with this number. */
  readonly command?: number;
}

interface RequestParts {
  readonly pending: Requests;
  readonly attachments: Attachments;
  readonly link: SessionLink;
  readonly agentState: () => AgentState;
  /** Whether relay and agent know about commands; true while that is unknown. */
  readonly listsCommands: () => boolean;
  readonly repeats: RepeatLink;
}

export class WorkspaceRequests {
  readonly #pending: Requests;
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#pending = parts.pending;
    this.#parts = parts;
  }

  /**
   * Any request that has an answer, with a time limit if one is given. Rejects with the Refusal of the relay or the
   * agent, or with NoAnswer when the outcome is unknown.
   */
  ask<T extends RequestType>(message: RequestOf<T>, options?: RequestOptions): Promise<AnswerTo<T>> {
    return this.#pending.ask(message, options);
  }

  /**
   * Types input exactly once, whatever fails on the way, also if the same request is made again by a client with the
   * same instance: `bytes` is all that this instance ever types into the session. The session must not be attached.
   * Rejects with a Refusal when nothing was typed, and with NoAnswer when that is unknown. [IN8]
   */
  typeOnce(session: string, bytes: Uint8Array<ArrayBuffer>, options: TypeOptions): Promise<void> {
    const { attachments, link, agentState } = this.#parts;
    return attachments.type(new InputRequest(session, bytes, link, options), agentState());
  }

  async list({ lostToo = false, session, people = false }: ListOptions): Promise<SessionInfo[]> {
    const sessions: SessionInfo[] = [];
    let room = LISTED_MAX_SESSIONS;
    const page = (listed: readonly SessionInfo[]) => {
      room -= Math.max(1, listed.length);
      if (room < 0) throw new ProtocolError(`a list of over ${LISTED_MAX_SESSIONS} sessions`);
      sessions.push(...listed);
    };
    const include = lostToo ? ({ include: 'lost' } as const) : {};
    const only = session === undefined ? {} : { session };
    await this.#pending.ask(
      { type: 'list_sessions', ...include, ...only, ...(people ? { people } : {}) },
      { page },
    );
    // A relay that does not know this field answers with all sessions.
    return session === undefined ? sessions : sessions.filter(({ id }) => id === session);
  }

  async refresh(session: string | undefined): Promise<void> {
    await this.#pending.ask({ type: 'refresh_sessions', ...(session === undefined ? {} : { session }) });
  }

  async loadLayout(): Promise<Layout | null> {
    return (await this.#pending.ask({ type: 'load_layout' })).layout;
  }

  async saveLayout(layout: Layout): Promise<void> {
    await this.#pending.ask({ type: 'save_layout', layout });
  }

  rename(session: string, name: string): void {
    const { link } = this.#parts;
    link.sendMessage({ type: 'rename_session', request: link.newRequest(), session, name });
  }

  async create(options: CreateOptions): Promise<SessionInfo> {
    return (await this.#pending.ask({ type: 'create_session', ...options })).session;
  }

  /** The last commands of a session, oldest first. Rejects with `unsupported` if the agent is too old. */
  async commands(session: string, options: Pick<RequestOptions, 'withinMs'> = {}): Promise<SessionCommand[]> {
    this.#requireCommands();
    const commands: SessionCommand[] = [];
    let room = COMMANDS_KEPT;
    const page = (listed: readonly SessionCommand[]) => {
      room -= Math.max(1, listed.length);
      // An empty list is a page too.
      if (room < 0) throw new ProtocolError(`a list of over ${COMMANDS_KEPT} commands`);
      commands.push(...listed);
    };
    await this.#pending.ask({ type: 'list_commands', session }, { ...options, commands: page });
    return commands;
  }

  async snapshot(id: string, format: SnapshotFormat, options: SnapshotOptions): Promise<TakenSnapshot> {
    const { scope = 'all', command } = options;
    if (command !== undefined) this.#requireCommands();
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const what = { ...(scope === 'all' ? {} : { scope }), ...(command === undefined ? {} : { command }) };
    const { cols, rows, offset, linesAbove, lost, cursor } = await this.#pending.ask(
      { type: 'take_snapshot', session: id, format, ...what },
      { piece: (piece) => void pieces.push(piece) },
    );
    const packed = joinBytes(pieces);
    return {
      bytes: packed.length === 0 ? packed : await this.#parts.link.inflate(packed),
      ...{ cols, rows, offset },
      ...((linesAbove ?? 0) + (lost ?? 0) > 0 ? { truncated: true } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    };
  }

  /** What happened in each session since this moment, an ISO time. [AS7] */
  async digest(since: string, options: Pick<RequestOptions, 'withinMs'> = {}): Promise<SessionDigest[]> {
    requireAbility(this.#parts.repeats, 'digest');
    const sessions: SessionDigest[] = [];
    let room = SESSIONS_MAX;
    const page = (told: readonly SessionDigest[]) => {
      room -= Math.max(1, told.length);
      if (room < 0) throw new ProtocolError(`a digest of over ${SESSIONS_MAX} sessions`);
      sessions.push(...told);
    };
    await this.#pending.ask({ type: 'read_digest', since }, { ...options, digest: page });
    return sessions;
  }

  /** A person takes the keyboard of a session from the assistant that has it. An agent without assistants is not asked. */
  takeKeyboard(session: string): void {
    if (this.#agentCan('run')) this.#parts.link.sendMessage({ type: 'take_keyboard', session });
  }

  /** The person who took the keyboard hands it back. */
  handBackKeyboard(session: string): void {
    if (this.#agentCan('run')) this.#parts.link.sendMessage({ type: 'hand_back_keyboard', session });
  }

  #agentCan(ability: Ability): boolean {
    return this.#parts.repeats.agent().can.includes(ability);
  }

  /** As `requireAbility`, for commands, which are older than the list of abilities. */
  #requireCommands(): void {
    const { agentState, listsCommands } = this.#parts;
    if (agentState() === 'online' && !listsCommands())
      throw new Refusal('unsupported', 'The agent of this machine is too old to list commands. Update it.');
  }

  async close(id: string): Promise<void> {
    await this.#pending.ask({ type: 'close_session', session: id });
  }

  closeLater(id: string, afterMs: number): void {
    const { link } = this.#parts;
    link.sendMessage({ type: 'close_session', request: link.newRequest(), session: id, afterMs });
  }
}
