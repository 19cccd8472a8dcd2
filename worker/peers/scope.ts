/**
 * What a client that sees one session may send, and what reaches it. This is the only place that decides it, and what is
 * not named here is denied, so the agent need not know. Pure functions. Rules SL5 to SL7.
 */
import { Refusal } from '../../protocol/errors.ts';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import type { AgentPresence, ServerMessage } from '../../protocol/messages/server-message.ts';

/**
 * - `own`: names a session, which must be the client's own
 * - `filtered`: the answer is about the workspace, and is made to show this session only
 * - `never`: about other sessions, or about the workspace as a whole
 */
type Scoping = 'own' | 'filtered' | 'never';

const SENT: Readonly<Record<ClientMessage['type'], Scoping>> = {
  list_sessions: 'filtered',
  refresh_sessions: 'own',
  load_layout: 'filtered',
  save_layout: 'never',
  create_session: 'never',
  reattach_session: 'own',
  hide_session: 'own',
  detach_session: 'own',
  close_session: 'never',
  rename_session: 'never',
  resize: 'own',
  take_snapshot: 'own',
  list_commands: 'own',
  run_command: 'own',
  type_text: 'own',
  signal_session: 'own',
  await_session: 'own',
  read_digest: 'never',
  take_keyboard: 'own',
  hand_back_keyboard: 'own',
  read_metrics: 'never',
  read: 'filtered',
};

/** The message as it is handled for a client that sees `session` only, or why it is refused. */
export function scopedRequest(message: ClientMessage, session: string): ClientMessage | Refusal {
  // All sessions are this one.
  const isForAll = message.type === 'list_sessions' || message.type === 'refresh_sessions';
  if (isForAll && message.session === undefined) return { ...message, session };
  switch (SENT[message.type]) {
    case 'filtered':
      return message;
    case 'own':
      return 'session' in message && message.session === session ? message : MISSING;
    default:
      return NOT_ALLOWED;
  }
}

/** The same for a session that exists and for one that does not, so that it tells nothing. */
const MISSING = new Refusal('session_missing', 'This session does not exist any more.');

const NOT_ALLOWED = new Refusal('forbidden', 'You have access to one session, which does not allow this.');

/** What a client that sees `session` only is told; null for nothing. */
export function scopedAnswer(message: ServerMessage, session: string): ServerMessage | null {
  switch (message.type) {
    case 'agent_state':
      return { ...message, agent: scopedPresence(message.agent) };
    case 'session_list': {
      const sessions = message.sessions.filter(({ id }) => id === session);
      return {
        type: 'session_list',
        request: message.request,
        agent: scopedPresence(message.agent),
        sessions,
      };
    }
    case 'layout':
      return { ...message, layout: null, savedAt: null };
    case 'sessions_refreshed':
    case 'read_check':
      return message;
    case 'error':
      return message.session === undefined || message.session === session ? message : null;
    case 'session_reattached':
      return message.session.id === session ? message : null;
    case 'scrollback':
    case 'session_closed':
    case 'session_renamed':
    case 'session_resized':
    case 'snapshot_taken':
    case 'command_list':
    case 'run_state':
    case 'text_typed':
    case 'session_signalled':
    case 'session_awaited':
    case 'session_activity':
    case 'session_described':
    case 'session_driver':
    case 'session_people':
    case 'session_exited':
      return message.session === session ? message : null;
    default:
      return null;
  }
}

/**
 * What is wrong at the machine may name other sessions, and when it was last heard tells when other sessions print
 * something. Of a machine that is gone it is when it left.
 */
export function scopedPresence({ trouble: _, lastSeen, ...agent }: AgentPresence): AgentPresence {
  return agent.state === 'online' || lastSeen === undefined ? agent : { ...agent, lastSeen };
}

/** The number that a message gives to a session in frames, if it does. */
export function handleIn(message: ServerMessage): number | null {
  switch (message.type) {
    case 'session_reattached':
    case 'scrollback':
    case 'snapshot_taken':
      return message.handle;
    default:
      return null;
  }
}
