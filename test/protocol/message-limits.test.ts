/** How long the strings and lists of an agent may be. */
import { describe, expect, it } from 'vitest';
import {
  AGENT_CONTROL_MAX_BYTES,
  ENVIRONMENT_MAX,
  NAME_MAX_CHARS,
  PATH_MAX_CHARS,
  PRESENCE_MAX,
  SENTENCE_MAX_CHARS,
  SESSIONS_MAX,
  SIGNAL_MAX_CHARS,
  TROUBLE_MAX_CHARS,
} from '../../protocol/limits.ts';
import { parseAgentMessage, parseRelayMessage } from '../../protocol/messages/agent-message.ts';
import { parseClientMessage } from '../../protocol/messages/client-message.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { sessionInfo } from '../support/scripted-session.ts';

describe('the session details of an agent', () => {
  const changed = (more: object) =>
    parseAgentMessage(JSON.stringify({ type: 'session_changed', session: sessionInfo('s1', more) }));
  const told = (more: object) => (changed(more) as { session: SessionInfo }).session;

  it('[X9] [RL19] a title or program name that is too long is cut, because a program may have chosen it', () => {
    const long = 'n'.repeat(NAME_MAX_CHARS);
    expect(told({ title: `${long}x`, foreground: `${long}x` })).toMatchObject({
      title: long,
      foreground: long,
    });
  });

  it('[X9] [RL19] a directory too long for any system is dropped: part of a path would be another directory', () => {
    const longest = `/${'d'.repeat(PATH_MAX_CHARS - 1)}`;
    expect(told({ cwd: longest }).cwd).toBe(longest);
    expect(told({ cwd: `${longest}d` }).cwd).toBe(null);
  });

  it.each([
    ['name', { name: 'n'.repeat(NAME_MAX_CHARS + 1) }],
    ['key', { key: 'k'.repeat(NAME_MAX_CHARS + 1) }],
    ['signal', { signal: 'S'.repeat(SIGNAL_MAX_CHARS + 1) }],
    ['epoch', { epoch: 'e'.repeat(65) }],
    ['progress.percent', { progress: { state: 'running', percent: 101 } }],
    ['progress.state', { progress: { state: 'x'.repeat(1000) } }],
  ])('[X9] a %s that no agent of ours creates is refused', (field, more) => {
    expect(() => changed(more)).toThrow(`session.${field} is not`);
  });

  it('[X9] an error sentence is cut, and metrics are limited', () => {
    const pass = (message: object) =>
      parseAgentMessage(JSON.stringify({ type: 'to_clients', message })) as { message: { message: string } };
    const long = 'x'.repeat(SENTENCE_MAX_CHARS + 1);
    expect(pass({ type: 'error', code: 'internal', message: long }).message.message).toBe(long.slice(1));
    const metrics = (chars: number) => ({ type: 'metrics', request: 'r', text: 'm'.repeat(chars) });
    expect(() => pass(metrics(AGENT_CONTROL_MAX_BYTES))).not.toThrow();
    expect(() => pass(metrics(AGENT_CONTROL_MAX_BYTES + 1))).toThrow('message.text is not');
  });

  it('[X9] [F30] the sentence about its own start is cut', () => {
    const hello = { type: 'hello', version: 1, epoch: 'e', sessions: [], more: false };
    const longest = 'x'.repeat(TROUBLE_MAX_CHARS);
    expect(parseAgentMessage(JSON.stringify({ ...hello, trouble: `${longest}y` }))).toMatchObject({
      trouble: longest,
    });
  });

  it('[X9] lists are limited: sessions, clients, variables', () => {
    const many = <T>(count: number, one: (i: number) => T) => Array.from({ length: count }, (_, i) => one(i));
    const sessions = many(SESSIONS_MAX + 1, (i) => sessionInfo(`s-${i}`));
    const inventory = (count: number) =>
      parseAgentMessage(
        JSON.stringify({ type: 'inventory', sessions: sessions.slice(0, count), more: false }),
      );
    expect(() => inventory(SESSIONS_MAX)).not.toThrow();
    expect(() => inventory(SESSIONS_MAX + 1)).toThrow('sessions is not');
    const presence = (count: number) =>
      parseRelayMessage(
        JSON.stringify({
          type: 'presence',
          generation: 1,
          clients: many(count, (i) => ({ channel: i + 1, role: 'viewer' })),
        }),
      );
    expect(() => presence(PRESENCE_MAX)).not.toThrow();
    expect(() => presence(PRESENCE_MAX + 1)).toThrow('clients is not');
    const create = (count: number) =>
      parseClientMessage(
        JSON.stringify({
          type: 'create_session',
          request: 'r',
          cols: 80,
          rows: 24,
          env: Object.fromEntries(many(count, (i) => [`V${i}`, ''])),
        }),
      );
    expect(() => create(ENVIRONMENT_MAX)).not.toThrow();
    expect(() => create(ENVIRONMENT_MAX + 1)).toThrow('env is not');
  });
});
