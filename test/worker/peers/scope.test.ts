/** What a client that sees one session may send, and what reaches it: every message of each kind. */
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import type { ClientMessage } from '../../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../../protocol/messages/server-message.ts';
import { scopedAnswer, scopedPresence, scopedRequest } from '../../../worker/peers/scope.ts';
import { CLIENT_MESSAGES, SERVER_MESSAGES } from '../../protocol/message-examples.ts';

const OWN = 's-1';

const SENT: Readonly<Record<ClientMessage['type'], 'own' | 'passed' | 'forbidden'>> = {
  list_sessions: 'passed',
  refresh_sessions: 'own',
  load_layout: 'passed',
  save_layout: 'forbidden',
  create_session: 'forbidden',
  reattach_session: 'own',
  hide_session: 'own',
  detach_session: 'own',
  close_session: 'forbidden',
  rename_session: 'forbidden',
  resize: 'own',
  take_snapshot: 'own',
  list_commands: 'own',
  run_command: 'own',
  type_text: 'own',
  signal_session: 'own',
  await_session: 'own',
  read_digest: 'forbidden',
  take_keyboard: 'own',
  hand_back_keyboard: 'own',
  read_metrics: 'forbidden',
  read: 'passed',
};

describe('what a client that sees one session sends', () => {
  it.each(Object.values(CLIENT_MESSAGES))('[SL5] $type of its own session', (message) => {
    const outcome = scopedRequest(message, OWN);
    if (SENT[message.type] === 'forbidden') expect(outcome).toMatchObject({ code: 'forbidden' });
    else expect(outcome).toEqual(message);
  });

  it.each(Object.values(CLIENT_MESSAGES))('[SEC26] [SL5] $type of another session', (message) => {
    const outcome = scopedRequest(message, 's-2');
    if (SENT[message.type] === 'passed') return expect(outcome).toEqual(message);
    expect(outcome).toBeInstanceOf(Refusal);
    expect(outcome).toMatchObject({ code: SENT[message.type] === 'own' ? 'session_missing' : 'forbidden' });
  });

  it.each(['list_sessions', 'refresh_sessions'] as const)('[SL5] %s of all is about its own', (type) => {
    expect(scopedRequest({ type, request: 'r' }, OWN)).toEqual({ type, request: 'r', session: OWN });
  });
});

/** Messages that name no session and are told; and those that are never told. */
const TOLD: readonly ServerMessage['type'][] = ['agent_state', 'sessions_refreshed', 'layout', 'read_check'];
const NEVER: readonly ServerMessage['type'][] = ['session_created', 'digest', 'metrics'];

describe('what reaches a client that sees one session', () => {
  it.each(Object.values(SERVER_MESSAGES))('[SL7] $type of its own session', (message) => {
    const told = scopedAnswer(message, OWN);
    if (NEVER.includes(message.type)) return expect(told).toBeNull();
    expect(told).toMatchObject({ type: message.type });
    if (message.type !== 'layout') return;
    expect(told).toEqual({ type: 'layout', request: 'r1', layout: null, savedAt: null });
  });

  it.each(Object.values(SERVER_MESSAGES))('[SEC26] [SL7] $type of another session', (message) => {
    const told = scopedAnswer(message, 's-9');
    if (message.type === 'session_list') return expect(told).toMatchObject({ sessions: [] });
    if (!TOLD.includes(message.type)) return expect(told).toBeNull();
    // The example of the agent's state says which session the client sees, which the relay adds itself.
    const { session: _, ...rest } = told as { session?: string };
    expect(JSON.stringify(rest)).not.toContain('s-1');
  });

  it('[SL7] an error without a session is told, and the trouble of a machine is not', () => {
    const { session: _, ...error } = SERVER_MESSAGES.error;
    expect(scopedAnswer(error, 's-9')).toEqual(error);
    expect(JSON.stringify(scopedAnswer(SERVER_MESSAGES.agent_state, OWN))).not.toContain('ended 3 times');
    expect(JSON.stringify(scopedAnswer(SERVER_MESSAGES.session_list, OWN))).not.toContain('ended 3 times');
  });

  it('[SL7] when the machine was last heard is told of one that is gone only', () => {
    const { agent } = SERVER_MESSAGES.agent_state;
    expect(scopedPresence(agent)).not.toHaveProperty('lastSeen');
    expect(scopedPresence({ ...agent, state: 'offline' })).toHaveProperty('lastSeen', agent.lastSeen);
  });

  it('[SL7] a message that is not known yet is not told', () => {
    const later = { type: 'later', session: OWN } as unknown as ServerMessage;
    expect(scopedAnswer(later, OWN)).toBeNull();
  });
});
