/**
 * The messages that a client sends. The relay answers some itself and forwards the others to the agent. The table in
 * README.md says why each is sent.
 */
import * as v from 'valibot';
import {
  ARGS_MAX,
  AWAIT_MAX_MS,
  CLOSE_AFTER_MAX_MS,
  ENVIRONMENT_MAX,
  GRACE_MAX_MS,
  TYPED_TEXT_MAX_CHARS,
} from '../limits.ts';
import { actor } from './keyboard-holder.ts';
import {
  argument,
  cells,
  count,
  id,
  layoutSchema,
  name,
  path,
  readMark,
  request,
  snapshotFormat,
  theme,
  time,
} from './message-parts.ts';
import { messageReader } from './message-reader.ts';

const closeDelay = v.pipe(count, v.maxValue(CLOSE_AFTER_MAX_MS));

const waitMs = v.pipe(count, v.maxValue(AWAIT_MAX_MS));
const typedText = v.pipe(v.string(), v.minLength(1), v.maxLength(TYPED_TEXT_MAX_CHARS));

/** What an assistant does with a session's keyboard: under the same id it is done once, however often it is asked for. */
const act = {
  request,
  session: id,
  act: id,
  /** The epoch of the agent for which it is meant. Another one refuses it: it cannot know whether it was done. */
  epoch: v.optional(id),
  actor: v.optional(actor),
  /** The same for all calls of one assistant; without it, its connection stands for it. */
  holder: v.optional(id),
};

/** Subscribes a client to a session's output, and says what the client already has. */
const attach = {
  instance: id,
  epoch: v.optional(id),
  /** Offset of the first byte that the client does not have; absent when it has nothing. */
  from: v.optional(count),
  /** Bytes of this instance's input known to be taken, in case the agent has forgotten the instance. */
  typed: v.optional(count),
  /** The size of the client's window. A client without one never decides the terminal's size. */
  cols: v.optional(cells),
  rows: v.optional(cells),
  /** The window's colours, which programs can query while this client is the driver. */
  theme: v.optional(theme),
  /** A digest of everything this instance will ever type. If it has already typed something else, it is refused. */
  once: v.optional(id),
  /** The lines above a screen: `none`, or `later` in a second replay. If absent, all of them come with the screen. */
  history: v.optional(v.picklist(['none', 'later'])),
  /** Nobody looks at the session yet: it counts as attached, but gets no output until it attaches without this. */
  hidden: v.optional(v.boolean()),
  /** Also attach if the program has exited, to read what it left; otherwise that is an error. */
  exited: v.optional(v.literal('read')),
  /** The client answers `read_check`. The relay reads this; a client without it is disconnected after a large flood. */
  answersReadChecks: v.optional(v.boolean()),
  /** Report changes of title and program with `session_described`, because a person sees them, for example on a tab. */
  describe: v.optional(v.boolean()),
  /** With `describe`: only when the session wants attention, or no longer, because nobody sees the rest. */
  onlyAttention: v.optional(v.boolean()),
  /** Input is that of a script: it is refused with `keyboard_busy` while an assistant has the keyboard. */
  isScript: v.optional(v.boolean()),
  /** Report who watches the sessions of the workspace with `session_people`, on this connection. The relay reads this. */
  people: v.optional(v.boolean()),
  /** With `isScript`: the assistant that it types for, as in `run_command`. Its own keyboard does not keep it out. */
  holder: v.optional(id),
};

/** The signals that a client may send to the program in the foreground. */
export const SENT_SIGNALS = [
  'SIGINT',
  'SIGTERM',
  'SIGKILL',
  'SIGHUP',
  'SIGQUIT',
  'SIGTSTP',
  'SIGCONT',
  'SIGUSR1',
  'SIGUSR2',
] as const;

export const clientMessageSchema = v.variant('type', [
  v.object({
    type: v.literal('list_sessions'),
    request,
    /** Also sessions that are lost or that a rule has ended, for a day. */
    include: v.optional(v.literal('lost')),
    /** Only this session, also when it is lost or a rule has ended it. */
    session: v.optional(id),
    /** Also who watches them. [PP3] */
    people: v.optional(v.boolean()),
  }),
  /** Updates the registry's descriptions, because the foreground program and its directory change without notice. */
  v.object({ type: v.literal('refresh_sessions'), request, session: v.optional(id) }),
  v.object({ type: v.literal('load_layout'), request }),
  v.object({ type: v.literal('save_layout'), request, layout: layoutSchema }),
  v.object({
    type: v.literal('create_session'),
    request,
    name: v.optional(name),
    key: v.optional(v.pipe(name, v.minLength(1))),
    command: v.optional(path),
    args: v.optional(v.pipe(v.array(argument), v.maxLength(ARGS_MAX))),
    cwd: v.optional(path),
    env: v.optional(v.pipe(v.record(argument, argument), v.maxEntries(ENVIRONMENT_MAX))),
    cols: cells,
    rows: cells,
    theme: v.optional(theme),
    replaces: v.optional(id),
    /** How long this session is kept without clients, whatever the agent's setting. */
    graceMs: v.optional(v.pipe(count, v.minValue(1), v.maxValue(GRACE_MAX_MS))),
  }),
  v.object({ type: v.literal('reattach_session'), request, session: id, ...attach }),
  /** Nobody looks at the session any more: send no output, only a notice that there is some. */
  v.object({
    type: v.literal('hide_session'),
    session: id,
    /** As in `reattach_session`: whether to report its title and program while it is hidden. */
    describe: v.optional(v.boolean()),
    onlyAttention: v.optional(v.boolean()),
  }),
  v.object({ type: v.literal('detach_session'), session: id }),
  v.object({ type: v.literal('close_session'), request, session: id, afterMs: v.optional(closeDelay) }),
  v.object({ type: v.literal('rename_session'), request, session: id, name }),
  v.object({
    type: v.literal('resize'),
    session: id,
    cols: cells,
    rows: cells,
    theme: v.optional(theme),
    /** This client becomes the driver, although another client typed last. */
    takeOver: v.optional(v.boolean()),
    /** Set by a client that wants to know when it is done. */
    request: v.optional(request),
  }),
  v.object({
    type: v.literal('take_snapshot'),
    request,
    session: id,
    format: snapshotFormat,
    /** The screen only; otherwise also the history above it. */
    scope: v.optional(v.literal('screen')),
    /** Only the output of the command with this number. */
    command: v.optional(count),
  }),
  /** The last commands of a session, as its shell has reported them. */
  v.object({ type: v.literal('list_commands'), request, session: id }),
  /** Runs a command in the session's shell, or asks again for one that was run; answered when it has ended. */
  v.object({ type: v.literal('run_command'), ...act, command: typedText, waitMs }),
  /** Types a text, or keys, as an assistant. */
  v.object({
    type: v.literal('type_text'),
    ...act,
    text: typedText,
    /** As a paste, if the program in the terminal knows what that is. */
    paste: v.optional(v.boolean()),
  }),
  /** Sends a signal to the program in the foreground. */
  v.object({ type: v.literal('signal_session'), request, session: id, signal: v.picklist(SENT_SIGNALS) }),
  /** Waits until a command has ended, or the session wants attention. */
  v.object({
    type: v.literal('await_session'),
    request,
    session: id,
    for: v.picklist(['command', 'attention']),
    /** What was printed before this offset does not count. */
    since: v.optional(count),
    waitMs,
  }),
  /** What happened in all sessions since then. */
  v.object({ type: v.literal('read_digest'), request, since: time }),
  /** A person takes the keyboard from an assistant, or hands it back. */
  v.object({ type: v.literal('take_keyboard'), session: id }),
  v.object({ type: v.literal('hand_back_keyboard'), session: id }),
  v.object({ type: v.literal('read_metrics'), request }),
  /** The answer to `read_check`, with the same mark. */
  v.object({ type: v.literal('read'), mark: readMark }),
]);
export type ClientMessage = v.InferOutput<typeof clientMessageSchema>;
export type ClientMessageOf<T extends ClientMessage['type']> = Extract<ClientMessage, { type: T }>;

export const parseClientMessage = messageReader(clientMessageSchema);

/** Who answers a message, and whether viewers may send it: they list and watch sessions, and change nothing. [RL7] */
interface Handling {
  readonly answeredBy: 'relay' | 'agent';
  readonly forViewers: boolean;
  /** What the agent must be able to do; an earlier one would take the message for malformed, and leave. */
  readonly needs?: Ability;
}

/** What an agent can do beyond the first version of the protocol, as it tells in its `hello`. [RL30] */
export type Ability = 'run' | 'attention' | 'digest';

export const CLIENT_MESSAGE_HANDLING: Readonly<Record<ClientMessage['type'], Handling>> = {
  list_sessions: { answeredBy: 'relay', forViewers: true },
  refresh_sessions: { answeredBy: 'agent', forViewers: true },
  load_layout: { answeredBy: 'relay', forViewers: true },
  save_layout: { answeredBy: 'relay', forViewers: false },
  create_session: { answeredBy: 'agent', forViewers: false },
  reattach_session: { answeredBy: 'agent', forViewers: true },
  hide_session: { answeredBy: 'agent', forViewers: true },
  detach_session: { answeredBy: 'agent', forViewers: true },
  close_session: { answeredBy: 'agent', forViewers: false },
  rename_session: { answeredBy: 'agent', forViewers: false },
  resize: { answeredBy: 'agent', forViewers: false },
  take_snapshot: { answeredBy: 'agent', forViewers: true },
  list_commands: { answeredBy: 'agent', forViewers: true },
  run_command: { answeredBy: 'agent', forViewers: false, needs: 'run' },
  type_text: { answeredBy: 'agent', forViewers: false, needs: 'run' },
  signal_session: { answeredBy: 'agent', forViewers: false, needs: 'run' },
  await_session: { answeredBy: 'agent', forViewers: true, needs: 'attention' },
  read_digest: { answeredBy: 'agent', forViewers: true, needs: 'digest' },
  take_keyboard: { answeredBy: 'agent', forViewers: false, needs: 'run' },
  hand_back_keyboard: { answeredBy: 'agent', forViewers: false, needs: 'run' },
  read_metrics: { answeredBy: 'agent', forViewers: false },
  read: { answeredBy: 'relay', forViewers: true },
};
