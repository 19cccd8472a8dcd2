/**
 * Records passing messages in the audit trail. Recorded when the agent confirms: attached, took a snapshot, created,
 * renamed, closed, ended. Recorded when forwarded, because nothing confirms it, or long after: took over, signalled,
 * asked to close later, asked for commands that end. The relay itself notices when a client leaves. A person is named only if the relay saw the request: what an agent confirms
 * without one is not recorded, or without a name if the request may have been forgotten.
 */

import { ProtocolError } from '../../protocol/errors.ts';
import { ATTACHED_REMEMBERED_MAX } from '../../protocol/limits.ts';
import type { AgentMessage } from '../../protocol/messages/agent-message.ts';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';
import type { AuditedAnswer } from '../audit/asked-requests.ts';
import { type AuditJournal, actorOf } from '../audit/audit-journal.ts';
import type { Actor } from '../audit/audit-rules.ts';
import { ROW_COST } from '../metering/turn.ts';
import type { ClientPeer } from '../peers/peer.ts';
import type { WorkspaceSockets } from './workspace-sockets.ts';

/** A client's message is being forwarded to the agent. */
export function observeRequest(
  room: WorkspaceSockets,
  peer: ClientPeer,
  message: ClientMessage,
  now: number,
): void {
  const { journal } = room;
  if (journal === null) return;
  const actor = actorOf(peer);
  journal.requests.asked(peer.channel, message);
  // Only for known sessions; otherwise requests for made-up sessions would displace real ones.
  const isKnown = (session: string) => room.registry.sessions.get(session, now) !== null;
  switch (message.type) {
    case 'close_session': {
      const { session, afterMs = 0 } = message;
      if (isKnown(session)) journal.askedToClose(actor, session, now);
      if (afterMs > 0)
        journal.did(actor, 'close_asked', now, { session, detail: `in ${Math.ceil(afterMs / 1000)} s` });
      return;
    }
    case 'rename_session':
      if (isKnown(message.session)) journal.askedToRename(actor, message.session, message.name, now);
      return;
    case 'resize':
      if (message.takeOver) journal.did(actor, 'took_over', now, { session: message.session });
      return;
    case 'run_command':
    case 'type_text':
      room.turn.spend(ROW_COST, now);
      if (room.registry.sessions.has(message.session)) journal.typing.typedBy(peer, message.session, now);
      return;
    case 'take_keyboard':
      return journal.did(actor, 'took_over', now, { session: message.session, detail: 'keyboard' });
    case 'signal_session': {
      const { session, signal } = message;
      room.turn.spend(ROW_COST, now);
      if (room.registry.sessions.has(session))
        journal.did(actor, 'signalled', now, { session, detail: signal });
      return;
    }
    case 'await_session':
      if (message.for !== 'command' || !room.registry.sessions.has(message.session)) return;
      room.turn.spend(ROW_COST, now);
      return readWithoutAttaching(journal, peer, message.session, 'commands', actor, now);
    case 'read_digest':
      room.turn.spend(ROW_COST, now);
      return journal.did(actor, 'attached', now, { detail: 'digest' });
    case 'detach_session':
      return detached(room, journal, peer, message.session, now);
  }
}

/** A message of the agent has been handled. */
export function observeAgent(room: WorkspaceSockets, message: AgentMessage, now: number): void {
  const { journal } = room;
  if (journal === null) return;
  switch (message.type) {
    case 'session_gone':
      room.turn.spend(ROW_COST, now);
      return journal.gone(message.session, message.reason, now);
    case 'to_client':
      return observeAnswer(room, journal, message.channel, message.message, now);
    case 'to_clients': {
      const { message: told } = message;
      if (told.type !== 'session_renamed') return;
      room.turn.spend(ROW_COST, now);
      return journal.renamed(told.session, told.name, now);
    }
  }
}

function observeAnswer(
  room: WorkspaceSockets,
  journal: AuditJournal,
  channel: number,
  answer: ServerMessage,
  now: number,
): void {
  const peer = room.board.clientPeer(channel);
  if (peer === undefined) return;
  switch (answer.type) {
    case 'error':
      if (answer.request !== undefined) journal.requests.refused(channel, answer.request);
      return;
    case 'session_created':
    case 'session_reattached':
    case 'snapshot_taken':
    case 'command_list': {
      const asked = journal.requests.answered(channel, answer);
      if (asked !== 'never') record(room, peer, answer, asked === 'asked' ? actorOf(peer) : null, now);
      return;
    }
  }
}

/** `actor` is null if it is not known whether this client asked. */
function record(
  room: WorkspaceSockets,
  peer: ClientPeer,
  answer: AuditedAnswer,
  actor: Actor | null,
  now: number,
): void {
  const { journal } = room;
  if (journal === null) return;
  switch (answer.type) {
    case 'session_created': {
      // A viewer cannot have asked for one, whatever the agent says.
      if (answer.found || peer.role !== 'operator') return;
      const { id, name } = answer.session;
      room.turn.spend(ROW_COST, now);
      return journal.did(actor, 'created', now, { session: id, detail: name });
    }
    case 'session_reattached':
      room.turn.spend(ROW_COST, now);
      if (!journal.typing.learn(answer.handle, answer.session.id))
        throw new ProtocolError('a session has another handle than before');
      return attached(room, journal, peer, answer.session.id, actor, now);
    case 'snapshot_taken':
      room.turn.spend(ROW_COST, now);
      return readWithoutAttaching(journal, peer, answer.session, 'snapshot', actor, now);
    case 'command_list':
      if (answer.more === true) return;
      room.turn.spend(ROW_COST, now);
      return readWithoutAttaching(journal, peer, answer.session, 'commands', actor, now);
  }
}

/**
 * A page attaches again whenever its tab is shown and after every reconnect of the agent. Only the first attach is
 * recorded.
 */
function attached(
  room: WorkspaceSockets,
  journal: AuditJournal,
  peer: ClientPeer,
  session: string,
  actor: Actor | null,
  now: number,
): void {
  const known = peer.attachedTo ?? [];
  if (known.includes(session)) return;
  journal.did(actor, 'attached', now, { session });
  const attachedTo = [...known, session].slice(-ATTACHED_REMEMBERED_MAX);
  room.remember(room.board.describeClient(peer.channel, { attachedTo }));
}

/** It shows as much as attaching does. A client that is already attached learns nothing new from it. */
function readWithoutAttaching(
  journal: AuditJournal,
  peer: ClientPeer,
  session: string,
  detail: 'snapshot' | 'commands',
  actor: Actor | null,
  now: number,
): void {
  if (peer.attachedTo?.includes(session)) return;
  journal.did(actor, 'attached', now, { session, detail });
}

function detached(
  room: WorkspaceSockets,
  journal: AuditJournal,
  peer: ClientPeer,
  session: string,
  now: number,
): void {
  const known = peer.attachedTo ?? [];
  if (!known.includes(session)) return;
  journal.did(actorOf(peer), 'left', now, { session });
  const attachedTo = known.filter((other) => other !== session);
  room.remember(room.board.describeClient(peer.channel, { attachedTo }));
}
