import { describe, expect, it } from 'vitest';
import { ScreenQueue } from '../../client/screen-queue.ts';
import { viewer } from './output-viewer.ts';

const measuring = () => viewer(undefined, undefined, undefined, true);
const SCREEN = { write() {}, reset() {}, resize() {} };

describe('[T1] a screen is told how to measure text', () => {
  it('before anything is shown, and not again', () => {
    const { announces, happened, output } = measuring();
    announces({ widths: '17-clusters' });
    expect(happened().slice(0, 2)).toEqual(['widths 17-clusters', 'size 80×24']);
    output.forgetReplay();
    announces({ widths: '17-clusters' });
    expect(happened()).not.toContain('widths 17-clusters');
  });

  it('by the old tables, if the agent says nothing', () => {
    const { announces, happened } = measuring();
    announces({});
    expect(happened()[0]).toBe('widths 6');
  });

  it('again when the model changes', () => {
    const { announces, happened, output } = measuring();
    announces({ widths: '6' });
    output.programReplaced();
    announces({ widths: '17-clusters' });
    expect(happened()).toContain('widths 17-clusters');
  });

  it('unless it measures nothing', () => {
    const queue = new ScreenQueue(SCREEN, () => {});
    queue.replayBegins(0, 0, '17-clusters');
    expect(queue.cost).toBe(0);
  });
});
