/** The client library against a scripted relay on an in-memory socket: a screen that does not show its output. */
import { describe, expect, it } from 'vitest';
import {
  FOLLOW_QUEUE_MAX_BYTES,
  PAYLOAD_MAX_BYTES,
  QUEUED_ITEM_BYTES,
  SCREEN_BEHIND_BYTES,
} from '../../protocol/limits.ts';
import { TextScreen } from '../support/text-screen.ts';
import { SIZE, Story } from './client-story.ts';

/** A screen that shows nothing until asked to: a terminal whose window does not read. */
class StuckScreen extends TextScreen {
  readonly #unshown: (() => void)[] = [];

  override write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.#unshown.push(() => super.write(bytes, shown));
  }

  goesOn(): void {
    for (const show of this.#unshown.splice(0)) show();
  }
}

describe('a stuck screen', () => {
  const piece = 'x'.repeat(PAYLOAD_MAX_BYTES);
  /** A little more than the limit of a client. */
  const enough = SCREEN_BEHIND_BYTES / PAYLOAD_MAX_BYTES + 1;

  function stuck(text: string, times: number) {
    const story = new Story();
    const screen = new StuckScreen();
    story.connects();
    const session = story.client.attach('s1', SIZE, screen, { isNew: true });
    story.reattaches(0, 0);
    for (let n = 0; n < times; n++) story.prints(n * text.length, text);
    return { story, screen, session };
  }

  it.each([
    ['long frames', piece, enough],
    ['hours of very short ones', 'x', SCREEN_BEHIND_BYTES / QUEUED_ITEM_BYTES + 1],
  ])('[RL23] asks the agent to stop after %s, and for the rest when it continues', (_, text, times) => {
    const { story, screen, session } = stuck(text, times);
    expect(story.asked('hide_session')).toHaveLength(1);
    expect(story.asked('reattach_session')).toHaveLength(1);
    expect([story.client.state.name, session.state.name]).toEqual(['live', 'live']);
    screen.goesOn();
    const end = times * text.length;
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ from: end });
    story.reattaches(end, end + 3);
    story.prints(end, 'end');
    screen.goesOn();
    expect(screen.text).toHaveLength(end + 3);
    expect(story.asked('hide_session')).toHaveLength(1);
  });

  it('[RL23] collects no more with every reconnect', () => {
    const { story, screen, session } = stuck(piece, enough);
    for (let generation = 2; generation < 9; generation++) {
      story.agentIs('offline', generation - 1);
      story.agentIs('online', generation);
    }
    expect(story.asked('reattach_session')).toHaveLength(1);
    expect(session.state.name).toBe('attaching');
    screen.goesOn();
    expect(story.asked('reattach_session')).toHaveLength(2);
    story.reattaches(enough * piece.length, enough * piece.length);
    expect(session.state.name).toBe('live');
  });

  it('[RL23] sends no request when it continues while the machine is offline', () => {
    const { story, screen } = stuck(piece, enough);
    story.agentIs('online', 2);
    story.agentIs('offline', 2);
    screen.goesOn();
    expect(story.asked('reattach_session')).toHaveLength(1);
    story.agentIs('online', 3);
    expect(story.asked('reattach_session')).toHaveLength(2);
  });

  it('[RL23] disconnects from an agent that does not stop', () => {
    const { story } = stuck(piece, FOLLOW_QUEUE_MAX_BYTES / PAYLOAD_MAX_BYTES);
    expect(story.client.state).toMatchObject({ name: 'refused', code: 4400 });
  });
});
