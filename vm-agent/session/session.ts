/**
 * One program in one terminal, from start to exit, with its history and its attachments. Reading starts with the
 * program, not with the first attachment: what is printed while nobody watches is kept as history too.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { Size } from '../../protocol/frame.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import type { SnapshotFormat } from '../../protocol/messages/message-parts.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import type { SessionNotices } from '../attention/session-notices.ts';
import { SessionCommands } from '../commands/session-commands.ts';
import type { Attachment } from '../output/attachment.ts';
import type { Audience } from '../output/audience.ts';
import { type DrawnOutput, drawOutput } from '../output/command-output.ts';
import { type OpenScreen, SessionOutput } from '../output/session-output.ts';
import { SessionReplays } from '../output/session-replays.ts';
import type { Exit, SpawnSpec } from '../pty/pty.ts';
import { terminate } from '../pty/terminate.ts';
import type { SessionAssist } from '../run/session-assist.ts';
import type { SnapshotRequest, Taken } from '../screen/snapshot.ts';
import type { SessionInput } from '../terminal/session-input.ts';
import { Terminal } from '../terminal/terminal.ts';
import { openAssist } from './assisted-session.ts';
import { describeSession } from './describe-session.ts';
import { type Described, Description } from './description.ts';
import { firstMetadata } from './first-metadata.ts';
import { openNotices } from './noticed-session.ts';
import { SessionClients } from './session-clients.ts';
import type { SessionEvents } from './session-events.ts';
import { SessionFacts, startDirectory } from './session-facts.ts';
import type { SessionIdentity, SessionOptions } from './session-options.ts';
import { SessionState } from './session-state.ts';

export class Session {
  readonly identity: SessionIdentity;
  readonly replays: SessionReplays;
  readonly input: SessionInput;
  readonly clients: SessionClients;
  readonly commands: SessionCommands;
  readonly assist: SessionAssist;
  readonly notices: SessionNotices;
  readonly #openScreen: OpenScreen;
  readonly #events: SessionEvents<Session>;
  readonly #clock: Clock;
  readonly #terminal: Terminal;
  readonly #output: SessionOutput;
  readonly #facts: SessionFacts;
  readonly #description: Description;
  readonly #state = new SessionState();

  constructor(identity: SessionIdentity, spec: SpawnSpec, options: SessionOptions<Session>) {
    const createdAt = options.adopted?.createdAt ?? new Date();
    this.identity = identity;
    this.#events = options.events;
    this.#clock = options.clock;
    this.#openScreen = options.openScreen;
    const { adopted, clock, earlierCommands: earlier, marksNonce: nonce } = options;
    const ended = (command: SessionCommand): void => {
      this.notices.commandEnded(command);
      this.#events.commandEnded(this);
    };
    this.commands = new SessionCommands({ clock, nonce, earlier, saved: adopted?.commands, ended });
    this.#description = new Description({
      clock: options.clock,
      look: () => this.#described,
      tell: (channel, described) => this.#events.described(this, channel, described),
    });
    this.#terminal = new Terminal(spec, options);
    this.input = this.#terminal.input;
    this.notices = openNotices({
      ...{ ...options, terminal: this.#terminal, commands: this.commands, state: this.#state },
      output: () => this.#output,
      changed: () => {
        this.#description.changed();
        this.#events.attentionChanged(this);
      },
    });
    // Opened after the program, which may fail to start. The event loop delivers its first byte, so none is missed.
    this.#output = this.#openOutput(spec, createdAt, options);
    this.replays = new SessionReplays(this.#output);
    this.#facts = new SessionFacts(identity.name, createdAt, this.#output.storage);
    this.assist = openAssist({
      ...{ ...options, spec, createdAt, identity, terminal: this.#terminal, output: this.#output },
      ...{ commands: this.commands, hasExited: () => this.exit !== null, saved: adopted?.assist },
      keyboardChanged: () => this.#description.changedNow(),
    });
    if (adopted?.title) this.#facts.retitle(adopted.title);
    this.clients = new SessionClients({
      output: this.#output,
      description: this.#description,
      described: () => this.#described,
      resize: (size) => this.#resize(size),
      driverChanged: () => this.#events.driverChanged(this),
      changed: (role) => this.#clientsChanged(role),
      looks: (isLookedAt) => this.notices.look(isLookedAt),
    });
  }

  get info(): SessionInfo {
    return describeSession({
      identity: this.identity,
      state: this.#state,
      facts: this.#facts,
      terminal: this.#terminal,
      viewers: this.viewers,
      described: this.#described,
    });
  }

  get name(): string {
    return this.#facts.name;
  }

  get size(): Size {
    return this.#terminal.size;
  }

  get exit(): Exit | null {
    return this.#state.exit;
  }

  get viewers(): number {
    return this.#output.audience.size;
  }

  /** Attachments that may type. They keep the session from expiring; those that only watch do not. [AG2] */
  get operators(): number {
    return this.#output.audience.operators;
  }

  get orphanedSince(): Date | null {
    return this.#state.orphanedSince;
  }

  get idleMs(): number {
    return this.#terminal.idleMs;
  }

  get end(): number {
    return this.#terminal.ring.end;
  }

  /** The attachments; `clients` changes them. */
  get audience(): Omit<Audience, 'join' | 'hide' | 'leave'> {
    return this.#output.audience;
  }

  /** Until the program was started, or refused with a Refusal; null if it runs already. */
  get starting(): Promise<void> | null {
    return this.#terminal.pty.starting;
  }

  /** The client whose window sets the size; null if it has left. */
  get driver(): number | null {
    return this.clients.driver;
  }

  /** Passes the new part of a client's input to the program. */
  type(by: Attachment, offset: number, bytes: Uint8Array): void {
    if (this.exit !== null) throw new Refusal('session_exited', 'The program has ended and reads no input.');
    this.assist.typing.check(by);
    const fresh = this.input.accept(by.instance, offset, bytes);
    // Comes first: an assistant's paste is ended before what a person types.
    this.assist.typing.typed(fresh, by);
    if (fresh.length > 0) this.clients.typed(by.channel);
    this.#terminal.touch();
    this.#output.typed();
    this.input.write(by.instance, fresh, (taken) => this.#events.inputTaken(this, by.channel, taken));
  }

  rename(name: string): void {
    this.#facts.rename(name);
  }

  /** Stores for the agent's next life when this session will be closed, or that it will not. [AG8] */
  noteClosing(at: Date | null): void {
    this.#output.storage.update({ closeAt: at?.toISOString() ?? null });
  }

  /** Ends the program and everything it started; `exited` follows. Resolves when no process is left. */
  async close(): Promise<void> {
    if (this.exit !== null) return;
    // An agent that is restarted meanwhile closes it too.
    this.noteClosing(new Date());
    this.#output.release();
    await terminate(this.#terminal.pty, this.#clock);
  }

  /** The session is removed: deletes everything, in memory and on disk. */
  dispose(): void {
    this.#description.stop();
    this.notices.stop();
    this.#output.dispose();
  }

  /** The screen, with its history if requested; undefined if the session is disposed of first. */
  snapshot(request: SnapshotRequest): Promise<Taken> {
    return this.#output.screen.snapshot(request);
  }

  /** What a command printed, without the rest of the screen. Throws `command_unknown` or `output_gone`. */
  async drawCommand(number: number, format: SnapshotFormat): Promise<DrawnOutput> {
    const { widths } = this.identity;
    const how = { terminal: this.#terminal, openScreen: this.#openScreen, widths, clock: this.#clock };
    return drawOutput(this.commands.require(number), format, how);
  }

  #openOutput(spec: SpawnSpec, createdAt: Date, options: SessionOptions<Session>): SessionOutput {
    const { id, handle, widths } = this.identity;
    return new SessionOutput({
      ...options,
      widths,
      terminal: this.#terminal,
      keep: (kept) =>
        options.keep({
          id,
          handle,
          metadata: firstMetadata(this.identity, spec, { ...options, createdAt }),
          ...kept,
          cwd: () => startDirectory(spec, () => this.#terminal.pty.cwd() ?? this.#facts.cwd),
          commands: this.commands,
          savedCommands: () => this.commands.save(),
        }),
      screenEvents: {
        // The screen answers device queries exactly once, however many clients watch.
        answer: (bytes) => this.input.answer(bytes),
        title: (title) => {
          this.#facts.retitle(title);
          this.#description.changed();
        },
        progress: (progress) => {
          if (this.#facts.advance(progress)) this.#description.changed();
        },
        cwd: (path) => this.#facts.moveTo(path),
        noticed: (notice) => this.notices.noticed(notice),
      },
      events: options.outputEvents(this),
      passedOn: (offset, bytes) => {
        this.notices.printed(offset, bytes);
        this.commands.printed(offset, bytes);
        this.assist.printed(offset, bytes);
        this.#description.printed();
      },
      resized: (offset, size) => this.#events.resized(this, offset, size),
      ended: (exit) => this.#finish(exit),
    });
  }

  get #described(): Described {
    const foreground = this.#terminal.pty.foreground();
    const progress = this.exit === null ? this.#facts.progressOf(foreground) : null;
    return {
      title: this.#facts.titleOf(foreground),
      foreground,
      ...(progress === null ? {} : { progress }),
      ...this.assist.typing.described,
      ...this.notices.described,
    };
  }

  /** A client with this role attached or left. */
  #clientsChanged(role: ClientRole): void {
    this.#state.clientsChanged(this.operators);
    this.#events.audienceChanged(this, role);
  }

  #resize({ cols, rows }: Size): void {
    const same = cols === this.size.cols && rows === this.size.rows;
    if (same || this.exit !== null) return;
    this.#terminal.resize({ cols, rows }); // without the window's other fields
  }

  #finish(exit: Exit): void {
    this.#state.exited(exit);
    this.commands.exited(this.end);
    this.assist.exited(exit.code, this.end);
    this.notices.exited(exit);
    this.#output.storage.update({ exit });
    this.#events.exited(this, this.end);
  }
}
