import { afterEach, describe, expect, it } from 'vitest';
import { isKeeperWanted, wishForKeeper } from '../../../vm-agent/keeper/reload-request.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';

/** A keeper that does not exist, so that no test running beside this one asks it for anything. */
const KEEPER = 4_194_305;

const title = process.title;
afterEach(() => {
  process.title = title;
});

describe.skipIf(!hasProc)(`a keeper that is asked for something${unlessProc}`, () => {
  it('[K4] is asked for a new keeper while a process of its user says so', () => {
    expect(isKeeperWanted(KEEPER)).toBe(false);
    process.title = wishForKeeper(KEEPER);
    expect(isKeeperWanted(KEEPER)).toBe(true);
    process.title = title;
    expect(isKeeperWanted(KEEPER)).toBe(false);
  });

  it('[K4] is not asked by what is said to another keeper, or by more than that', () => {
    process.title = wishForKeeper(KEEPER + 1);
    expect(isKeeperWanted(KEEPER)).toBe(false);
    process.title = `${wishForKeeper(KEEPER)} no`;
    expect(isKeeperWanted(KEEPER)).toBe(false);
  });

  it('[K4] is not asked by another user, unless that is root', () => {
    process.title = wishForKeeper(KEEPER);
    const uid = process.getuid?.() ?? 0;
    expect(isKeeperWanted(KEEPER, uid + 1)).toBe(uid === 0);
  });

  it('[K4] is asked in a command line that is short enough for the shortest real one', () => {
    const real = ['node', 'main.js', 'reload', '--keeper'].join('\0').length;
    expect(wishForKeeper(4_194_304).length).toBeLessThan(real);
  });
});
