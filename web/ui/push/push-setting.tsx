/** The switch for notifications while no page is open, with the reason where it cannot be used. */
import { useId, useSyncExternalStore } from 'react';
import type { PushState, PushSwitch } from './push-switch.ts';

/** What to say beside the switch. */
function hintOf(state: PushState): string {
  switch (state.name) {
    case 'unsupported':
      return 'This browser cannot do that here. It needs https; on an iPhone or iPad, add this page to the Home Screen first.';
    case 'blocked':
      return 'This browser blocks notifications from this page. Allow them in its settings for this site, then reload.';
    case 'off':
      return state.trouble === null
        ? 'Also while this browser shows no page of this workspace.'
        : `That did not work: ${state.trouble}`;
    case 'changing':
      return 'Waiting for the browser…';
    case 'on':
      return 'On in this browser. Mute a terminal under Sessions.';
  }
}

export function PushSetting({ push }: { readonly push: PushSwitch }) {
  const state = useSyncExternalStore(
    (changed) => push.onChange(changed),
    () => push.state,
  );
  const hint = useId();
  const isUsable = state.name === 'on' || state.name === 'off';
  return (
    <>
      <label className="setting">
        <span>Notify me when no page is open</span>
        <input
          type="checkbox"
          checked={state.name === 'on'}
          disabled={!isUsable}
          aria-describedby={hint}
          onChange={(event) => void (event.target.checked ? push.turnOn() : push.turnOff())}
        />
      </label>
      <p
        id={hint}
        className="setting-hint"
        role={state.name === 'off' && state.trouble !== null ? 'alert' : undefined}
      >
        {hintOf(state)}
      </p>
    </>
  );
}
