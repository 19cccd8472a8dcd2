import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '../../../../protocol/messages/session-info.ts';
import { WantedSession } from '../../../../web/ui/push/wanted-session.ts';

const SESSIONS = [{ id: 's1' }, { id: 's2' }] as SessionInfo[];

function page() {
  const opened: string[] = [];
  const open = ({ id }: SessionInfo) => void opened.push(id);
  const show = (wanted: WantedSession, list = async (): Promise<readonly SessionInfo[]> => SESSIONS) =>
    wanted.show({ list, open });
  return { opened, show };
}

describe('[A5] the session of a notification', () => {
  it('is shown once', async () => {
    const { opened, show } = page();
    const wanted = new WantedSession();
    await show(wanted);
    wanted.want('s2');
    await show(wanted);
    await show(wanted);
    expect(opened).toEqual(['s2']);
  });

  it('is shown later if the connection is lost at the click', async () => {
    const { opened, show } = page();
    const wanted = new WantedSession();
    wanted.want('s1');
    await show(wanted, () => Promise.reject(new Error('lost')));
    expect(opened).toEqual([]);
    await show(wanted);
    expect(opened).toEqual(['s1']);
  });

  it('gives way to one that is wanted later', async () => {
    const { opened, show } = page();
    const wanted = new WantedSession();
    wanted.want('s1');
    const first = show(wanted);
    wanted.want('s2');
    await first;
    await show(wanted);
    expect(opened).toEqual(['s2']);
  });

  it('is not shown, and no longer wanted, if it is gone', async () => {
    const { opened, show } = page();
    const wanted = new WantedSession();
    wanted.want('gone');
    await show(wanted);
    await show(wanted, async () => [{ id: 'gone' }] as SessionInfo[]);
    expect(opened).toEqual([]);
  });
});
