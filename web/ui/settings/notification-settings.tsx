/** The switch for notifications of the page. Turning it on asks the browser for permission. */
import { useId, useState } from 'react';
import {
  askForNotifications,
  type NotificationPermit,
  notificationPermit,
} from '../attention/browser-notifications.ts';
import { PushSetting } from '../push/push-setting.tsx';
import type { PushSwitch } from '../push/push-switch.ts';
import { Section } from './setting-fields.tsx';
import type { Settings } from './settings.ts';

interface Props {
  readonly settings: Settings;
  readonly change: (change: Partial<Settings>) => void;
  /** Null where the page has no login of its own. */
  readonly push: PushSwitch | null;
}

const HINTS: Readonly<Record<NotificationPermit, string>> = {
  granted: 'When a terminal wants an answer, or a long command ends. Mute a terminal under Sessions.',
  default: 'When a terminal wants an answer, or a long command ends. Mute a terminal under Sessions.',
  denied: 'This browser blocks notifications from this page. Allow them in its settings for this site.',
  unsupported: 'This browser has no notifications here. They need https.',
};

export function NotificationSettings({ settings, change, push }: Props) {
  const [permit, setPermit] = useState(notificationPermit);
  const hint = useId();
  const isOn = settings.notifications && permit === 'granted';
  const turn = (on: boolean) => {
    if (!on || notificationPermit() === 'granted') {
      setPermit(notificationPermit());
      return change({ notifications: on });
    }
    void askForNotifications().then((answer) => {
      setPermit(answer);
      change({ notifications: answer === 'granted' });
    });
  };
  return (
    <Section title="Notifications">
      <label className="setting">
        <span>Notify me while this page is hidden</span>
        <input
          type="checkbox"
          checked={isOn}
          disabled={permit === 'unsupported'}
          aria-describedby={hint}
          onChange={(event) => turn(event.target.checked)}
        />
      </label>
      <p id={hint} className="setting-hint" role={permit === 'denied' ? 'alert' : undefined}>
        {HINTS[permit]}
      </p>
      {push !== null && <PushSetting push={push} />}
    </Section>
  );
}
