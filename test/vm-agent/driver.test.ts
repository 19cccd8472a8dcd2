import { describe, expect, it } from 'vitest';
import { Driver } from '../../vm-agent/driver.ts';

const size = (cols: number) => ({ cols, rows: 24 });

describe('whose window decides', () => {
  it('[P13] [OU11] the one who attaches alone, and nobody who joins later', () => {
    const driver = new Driver();
    expect(driver.joined(1, size(100), true, true)).toEqual(size(100));
    expect(driver.joined(2, size(40), true, false)).toBeNull();
    expect(driver.channel).toBe(1);
    expect(driver.resized(2, size(50))).toBeNull();
    expect(driver.resized(1, size(110))).toEqual(size(110));
  });

  it('[OU11] the one who types, with the size its window has by then', () => {
    const driver = new Driver();
    driver.joined(1, size(100), true, true);
    driver.joined(2, size(40), true, false);
    driver.resized(2, size(60));
    expect(driver.takesOver(2)).toEqual(size(60));
    expect(driver.resized(1, size(120))).toBeNull();
  });

  it('[P13] [OU11] when the driver leaves, nobody until another types', () => {
    const driver = new Driver();
    driver.joined(1, size(100), true, true);
    driver.joined(2, size(40), true, false);
    driver.left(1);
    expect(driver.channel).toBeNull();
    expect(driver.resized(2, size(41))).toBeNull();
    expect(driver.takesOver(2)).toEqual(size(41));
  });

  it('[OU11] a viewer never drives', () => {
    expect(new Driver().joined(1, size(100), false, true)).toBeNull();
  });

  it('[OU18] and its colours: told once, they stay with the window whatever its size', () => {
    const driver = new Driver();
    const [dark, light] = [{ background: '#000000' }, { background: '#ffffff' }];
    expect(driver.joined(1, { ...size(100), theme: dark }, true, true)?.theme).toBe(dark);
    expect(driver.joined(2, { ...size(40), theme: light }, true, false)).toBeNull();
    expect(driver.resized(1, size(110))?.theme).toBe(dark);
    expect(driver.takesOver(2)?.theme).toBe(light);
    expect(driver.resized(2, { ...size(40), theme: dark })?.theme).toBe(dark);
  });

  it('[OU11] a driver that attaches anew drives on', () => {
    const driver = new Driver();
    driver.joined(1, size(100), true, true);
    driver.joined(2, size(40), true, false);
    expect(driver.joined(1, size(90), true, false)).toEqual(size(90));
  });

  it('[OU11] somebody else who leaves takes nothing along but their own window', () => {
    const driver = new Driver();
    driver.joined(1, size(100), true, true);
    driver.joined(2, size(40), true, false);
    expect([driver.hasWindow(1), driver.hasWindow(2)]).toEqual([true, true]);
    driver.left(2);
    expect([driver.channel, driver.hasWindow(2)]).toEqual([1, false]);
    expect(driver.takesOver(2)).toBeNull();
    expect(driver.channel).toBe(1);
  });
});
