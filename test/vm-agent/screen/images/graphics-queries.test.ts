/** What the agent answers to programs that are about to print an image. */
import { describe, expect, it } from 'vitest';
import { Emulator } from '../../../../vm-agent/screen/emulator.ts';
import { bytesOf } from '../terminal-state.ts';

function answers(query: string, size = { cols: 80, rows: 24 }): string[] {
  const told: string[] = [];
  const events = {
    answer: (text: string) => told.push(text.replace('\x1b', 'ESC ')),
    ...{ report() {}, title() {}, progress() {}, cwd() {}, bell() {} },
  };
  new Emulator({ size, scrollbackLines: 0, events }).write(bytesOf(query));
  return told;
}

describe('the agent', () => {
  it.each([
    { asks: 'what it is', query: '\x1b[c', answer: ['ESC [?62;4;22c'] },
    { asks: 'what it is, with a parameter that no terminal knows', query: '\x1b[1c', answer: [] },
    { asks: 'the size in pixels', query: '\x1b[14t', answer: ['ESC [4;480;800t'] },
    { asks: 'the size of a cell', query: '\x1b[16t', answer: ['ESC [6;20;10t'] },
    { asks: 'the colours of sixels', query: '\x1b[?1;1;0S', answer: ['ESC [?1;0;256S'] },
    { asks: 'the most colours of sixels', query: '\x1b[?1;4;0S', answer: ['ESC [?1;0;256S'] },
    { asks: 'to change the colours', query: '\x1b[?1;3;9S', answer: ['ESC [?1;2;0S'] },
    { asks: 'the size of sixels', query: '\x1b[?2;1;0S', answer: ['ESC [?2;0;800;480S'] },
    { asks: 'to change the size of sixels', query: '\x1b[?2;3;9;9S', answer: ['ESC [?2;2;0S'] },
    { asks: 'about ReGIS', query: '\x1b[?3;1;0S', answer: ['ESC [?3;1;0S'] },
  ])('[T5] answers $asks', ({ query, answer }) => {
    expect(answers(query)).toEqual(answer);
  });

  it('[T5] answers no larger size of sixels than it shows', () => {
    expect(answers('\x1b[?2;1;0S', { cols: 1000, rows: 1000 })).toEqual(['ESC [?2;0;4096;2048S']);
  });
});
