/** Facts about this version of xterm that the screens depend on. */
import { describe, expect, it } from 'vitest';
import { createXterm } from '../../../../vm-agent/screen/xterm/create-xterm.ts';
import { PARSER } from '../../../../vm-agent/screen/xterm/xterm.ts';
import { bytesOf } from '../terminal-state.ts';

const parsed = (...chunks: (string | Uint8Array)[]) => {
  const { core } = createXterm({ cols: 20, rows: 4 }, 10);
  for (const chunk of chunks) core._inputHandler.parse(typeof chunk === 'string' ? bytesOf(chunk) : chunk);
  return core;
};
const stateAfter = (text: string) => parsed(text)._inputHandler._parser.currentState;

describe('xterm', () => {
  it('[R1] has the internals that we read', () => {
    const core = parsed('\x1b]8;;http://a/\x1b\\\x1b[4:3mx\x1b7');
    const line = core.buffers.normal.lines.get(0);
    expect(line?._data).toBeInstanceOf(Uint32Array);
    expect(line?._extendedAttrs[0]?.urlId).toBe(1);
    expect(core._oscLinkService.getLinkData(1)?.uri).toBe('http://a/');
    expect(core.buffers.normal).toMatchObject({
      savedX: 1,
      savedY: 0,
      scrollTop: 0,
      scrollBottom: 3,
      ybase: 0,
      x: 1,
      y: 0,
    });
    expect(core.buffers.normal.tabs).toEqual({ 0: true, 8: true, 16: true });
    expect(core._inputHandler._curAttrData.extended._ext >>> 26).toBe(3);
    expect(core._charsetService).toMatchObject({ glevel: 0, _charsets: [] });
    expect(core.coreMouseService).toMatchObject({ activeProtocol: 'NONE', activeEncoding: 'DEFAULT' });
    expect(core.coreService.decPrivateModes.wraparound).toBe(true);
    expect(core._inputHandler._parser.precedingJoinState).toBe(0);
  });

  it('[R1] numbers its parser states as we do', () => {
    expect(stateAfter('x')).toBe(PARSER.ground);
    expect(stateAfter('\x1b[1<')).toBe(PARSER.lastExecuting);
    expect(stateAfter('\x1b_x')).toBe(PARSER.sosPmApc);
    expect(stateAfter('\x1b]x')).toBe(PARSER.osc);
    expect(stateAfter('\x1bP')).toBe(PARSER.firstDcs);
  });

  it('[R1] loses a character that is split after a byte 0x80, which is why half characters are held back', () => {
    const { lines } = parsed(Uint8Array.of(0x61, 0xe2, 0x80), Uint8Array.of(0x94, 0x62)).buffers.normal;
    expect((lines.get(0)?._data[3] ?? 0) & 0x1fffff).toBe('b'.charCodeAt(0));
  });

  it('[R7] throws on CSI 1 J in the bottom right corner, which is why we guard it', () => {
    expect(() => parsed('\x1b[4;20H\x1b[1J')).toThrow();
  });
});
