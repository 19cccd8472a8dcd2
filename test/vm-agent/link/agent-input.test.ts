/** The agent against a scripted relay: input. */
import { describe, expect, it } from 'vitest';
import { PAYLOAD_MAX_BYTES } from '../../../protocol/limits.ts';
import { INPUT_ACK_WAIT_MS } from '../../../vm-agent/link/input-acks.ts';
import { EARLY_MAX_FRAMES } from '../../../vm-agent/output/output-batcher.ts';
import { ScriptedRelay, SIZE } from './scripted-relay.ts';

describe('input', () => {
  it('[IN2] is applied once: repeated input is acknowledged and not typed again', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { instance: 'page' });
    relay.types(1, handle, 0, 'ls');
    relay.types(1, handle, 0, 'ls -l\n');
    relay.types(1, handle, 0, 'ls');
    expect(relay.pty.typed).toBe('ls -l\n');
  });

  it('[IN2] is refused after a gap', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.types(1, handle, 5, 'late');
    expect(relay.pty.typed).toBe('');
    expect(relay.last('error')).toMatchObject({ code: 'input_hole', session: id });
  });

  it('[IN3] is acknowledged when the program has taken it, not before', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.pty.reads = false;
    relay.clear();
    relay.types(1, handle, 0, 'abc');
    relay.clock.advance(INPUT_ACK_WAIT_MS);
    expect(relay.sent).toEqual([]);
    relay.pty.readsInput();
    relay.clock.advance(INPUT_ACK_WAIT_MS);
    expect(relay.sent).toMatchObject([{ kind: 'ack', channel: 1, handle, offset: 3 }]);
  });

  it('[IN3] is acknowledged after the output that it caused, together with what was typed meanwhile', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    relay.clear();
    relay.types(1, handle, 0, 'a');
    relay.pty.prints('a');
    relay.types(1, handle, 1, 'bc');
    relay.clock.advance(INPUT_ACK_WAIT_MS);
    expect(relay.sent).toMatchObject([{ kind: 'output' }, { kind: 'ack', channel: 1, handle, offset: 3 }]);
  });

  it('[IN3] is acknowledged before the exit that it caused is reported', () => {
    const relay = new ScriptedRelay();
    const handle = relay.attaches(1, relay.creates(), { from: 0 });
    relay.clear();
    relay.types(1, handle, 0, '\x04');
    relay.pty.exits({ code: 0 });
    const kinds = relay.sent.map((item) => ('kind' in item ? item.kind : item.type));
    expect(kinds.indexOf('ack')).toBeGreaterThanOrEqual(0);
    expect(kinds.indexOf('ack')).toBeLessThan(kinds.indexOf('to_clients'));
  });

  it('[P27] gives its session priority; answers of the terminal itself do not', () => {
    const relay = new ScriptedRelay();
    const handle = relay.attaches(1, relay.creates());
    relay.screen.events.answer(new TextEncoder().encode('\x1b[1;1R'));
    expect([relay.pty.typed, relay.pty.preferred]).toEqual(['\x1b[1;1R', 0]);
    relay.types(1, handle, 0, 'k');
    expect(relay.pty.preferred).toBe(1);
  });

  it('[OU12] is echoed at once, even during a flood of short lines', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    for (let line = 0; line < EARLY_MAX_FRAMES; line++) relay.pty.prints('y');
    relay.clear();
    relay.pty.prints('y');
    expect(relay.story).toEqual([]);
    relay.types(1, handle, 0, '\x03');
    relay.pty.prints('^C');
    expect(relay.story).toEqual([`output 0 @${EARLY_MAX_FRAMES} y^C`]);
  });

  it('[IN3] of an earlier link is acknowledged with the next attach, not by itself', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.types(1, handle, 0, 'abc');
    relay.agent.linkOpened();
    relay.clear();
    relay.clock.advance(INPUT_ACK_WAIT_MS);
    expect(relay.sent).toEqual([]);
  });

  it('[IN4] is counted per client instance, across reconnects: the same page continues where it was', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { instance: 'page' });
    relay.types(1, handle, 0, 'one ');
    relay.agent.linkOpened();
    relay.attaches(9, id, { instance: 'page' });
    expect(relay.last('session_reattached').inputOffset).toBe(4);
    relay.types(9, handle, 0, 'one two');
    expect(relay.pty.typed).toBe('one two');
  });

  it('[IN4] of an instance that was forgotten among a thousand others continues at the offset it reports', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { instance: 'page' });
    relay.types(1, handle, 0, 'one ');
    for (let n = 2; n < 1100; n++) {
      relay.attaches(n, id);
      relay.types(n, handle, 0, 'x');
      relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: n }));
    }
    relay.attaches(1, id, { instance: 'page', typed: 4 });
    expect(relay.last('session_reattached').inputOffset).toBe(4);
    relay.types(1, handle, 4, 'two');
    expect(relay.pty.typed).toMatch(/^one x+two$/);
  });

  it('is refused if the program does not read and the queue is full', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.pty.reads = false;
    const piece = 'p'.repeat(PAYLOAD_MAX_BYTES);
    for (let i = 0; i < 17; i++) relay.types(1, handle, i * PAYLOAD_MAX_BYTES, piece);
    expect(relay.pty.backlogBytes).toBe(16 * PAYLOAD_MAX_BYTES);
    expect(relay.last('error')).toMatchObject({ code: 'input_backlog', session: id });
  });

  it('[RL7] of a viewer that gets past the relay is refused here too', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { role: 'viewer' });
    relay.types(1, handle, 0, 'x');
    expect(relay.pty.typed).toBe('');
    relay.asks(1, { type: 'close_session', request: 'x', session: id }, 'viewer');
    relay.asks(1, { type: 'resize', session: id, cols: 1, rows: 1 }, 'viewer');
    expect(relay.told.filter((message) => message.type === 'error').map(({ code }) => code)).toEqual([
      'forbidden',
      'forbidden',
      'forbidden',
    ]);
    expect(relay.pty.signals).toEqual([]);
    expect(relay.pty.size).toEqual(SIZE);
  });
});
