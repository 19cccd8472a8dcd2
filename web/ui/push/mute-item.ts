/** The menu item that mutes a terminal in this browser. */
import type { MenuItem } from '../elements/menu.tsx';
import type { PushSwitch } from './push-switch.ts';

/** None where nobody is notified. */
export function muteItem(push: PushSwitch | null, session: string | null, done: () => void): MenuItem[] {
  if (push === null || session === null || push.state.name !== 'on') return [];
  const isMuted = push.isMuted(session);
  const run = () => {
    void push.mute(session, !isMuted);
    done();
  };
  return [{ label: isMuted ? 'Unmute notifications' : 'Mute notifications', run }];
}
