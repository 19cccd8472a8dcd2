import { describe, expect, it } from 'vitest';
import { type ClientSize, Driver } from '../../../vm-agent/session/driver.ts';

const size = (cols: number) => ({ cols, rows: 24 });

/** Operators by their channels; each is a separate instance. */
function windows() {
  const driver = new Driver();
  const join = (channel: number, window: ClientSize, how: { isAlone?: boolean; isVisible?: boolean } = {}) =>
    driver.joined({ channel, instance: `i${channel}`, isAlone: false, isVisible: true, ...how }, window);
  const alone = (channel: number, window: ClientSize) => join(channel, window, { isAlone: true });
  return { driver, join, alone };
}

describe('the driver', () => {
  it('[P13] [OU11] is the client that attaches alone, and none that joins later', () => {
    const { alone, driver, join } = windows();
    expect(alone(1, size(100))).toEqual(size(100));
    expect(join(2, size(40))).toBeNull();
    expect(driver.channel).toBe(1);
    expect(driver.resized(2, size(50))).toBeNull();
    expect(driver.resized(1, size(110))).toEqual(size(110));
  });

  it('[OU11] is the client that types, with the size that its window has by then', () => {
    const { alone, driver, join } = windows();
    alone(1, size(100));
    join(2, size(40));
    driver.resized(2, size(60));
    expect(driver.takesOver(2)).toEqual(size(60));
    expect(driver.resized(1, size(120))).toBeNull();
  });

  it('[U2] [P13] [OU11] that leaves is replaced by the only visible window', () => {
    const { alone, driver, join } = windows();
    alone(1, size(100));
    join(2, size(40));
    driver.takesOver(2);
    driver.left(2);
    expect(driver.remain([1])).toEqual(size(100));
    expect(driver.channel).toBe(1);
    expect(driver.resized(1, size(90))).toEqual(size(90));
  });

  it.each([
    { name: 'with several windows, nobody drives until one types', visible: [2, 3] },
    { name: 'without windows, nobody drives until one types', visible: [] },
    { name: 'with a client that has no window, nobody drives until one types', visible: [7] },
  ])('[U2] [P13] [OU11] that leaves: $name', ({ visible }) => {
    const { alone, driver, join } = windows();
    alone(1, size(100));
    join(2, size(40));
    join(3, size(50));
    driver.left(1);
    expect(driver.remain(visible)).toBeNull();
    expect(driver.channel).toBeNull();
    expect(driver.resized(2, size(41))).toBeNull();
    expect(driver.takesOver(2)).toEqual(size(41));
  });

  it('[U2] [OU11] is the last of several that were left without one, once the others are gone', () => {
    const { alone, driver, join } = windows();
    alone(1, size(100));
    join(2, size(40));
    join(3, size(50));
    driver.left(1);
    expect(driver.remain([2, 3])).toBeNull();
    driver.left(2);
    expect(driver.remain([3])).toEqual(size(50));
  });

  it('[U2] [OU11] does not change while its window is visible', () => {
    const { alone, driver, join } = windows();
    alone(1, size(100));
    join(2, size(40));
    join(3, size(50));
    driver.left(2);
    expect(driver.remain([1, 3])).toBeNull();
    expect(driver.channel).toBe(1);
  });

  it('[U2] [OU11] is the client that typed last, also after a cut during which another replaced it', () => {
    const { alone, driver, join } = windows();
    alone(1, size(100));
    join(2, size(40));
    driver.takesOver(1);
    driver.left(1);
    expect(driver.remain([2])).toEqual(size(40));
    expect(join(1, size(100), { isVisible: false }), 'nobody looks at it').toBeNull();
    expect(join(1, size(100))).toEqual(size(100));
    driver.left(1);
    driver.remain([2]);
    driver.takesOver(2);
    expect(join(1, size(100)), 'another has typed since').toBeNull();
  });

  it('[U2] [OU11] is nobody after a size was set without a window, until a client types', () => {
    const { alone, driver, join } = windows();
    alone(1, size(100));
    join(2, size(40));
    driver.resized(9, size(90));
    expect(driver.takesOver(9)).toEqual(size(90));
    driver.left(9);
    driver.left(2);
    expect(driver.remain([1])).toBeNull();
    expect(driver.takesOver(1)).toEqual(size(100));
    join(2, size(40));
    driver.left(1);
    expect(driver.remain([2])).toEqual(size(40));
  });

  it('[OU18] keeps its colours, reported once, whatever its size', () => {
    const { alone, driver, join } = windows();
    const [dark, light] = [{ background: '#000000' }, { background: '#ffffff' }];
    expect(alone(1, { ...size(100), theme: dark })?.theme).toBe(dark);
    expect(join(2, { ...size(40), theme: light })).toBeNull();
    expect(driver.resized(1, size(110))?.theme).toBe(dark);
    expect(driver.takesOver(2)?.theme).toBe(light);
    expect(driver.resized(2, { ...size(40), theme: dark })?.theme).toBe(dark);
  });

  it('[OU11] that reattaches still drives', () => {
    const { alone, join } = windows();
    alone(1, size(100));
    join(2, size(40));
    expect(join(1, size(90))).toEqual(size(90));
  });

  it('[OU11] is not affected when another client leaves', () => {
    const { alone, driver, join } = windows();
    alone(1, size(100));
    join(2, size(40));
    expect([driver.hasWindow(1), driver.hasWindow(2)]).toEqual([true, true]);
    driver.left(2);
    expect([driver.channel, driver.hasWindow(2)]).toEqual([1, false]);
    expect(driver.takesOver(2)).toBeNull();
    expect(driver.channel).toBe(1);
  });
});
