/** Starts a contender by its name. */
import { AgentAlone } from './agent-alone.ts';
import { BareSwitch } from './bare-switch.ts';
import { BareWs } from './bare-ws.ts';
import type { Contender, ContenderName, ContenderOptions } from './contender.ts';
import { Holdfast } from './holdfast.ts';
import { RawPty } from './raw-pty.ts';
import { isInstalled, Ttyd } from './ttyd.ts';

const STARTS: Readonly<Record<ContenderName, (options?: ContenderOptions) => Promise<Contender>>> = {
  pty: RawPty.start,
  ws: BareWs.start,
  agent: AgentAlone.start,
  switch: BareSwitch.start,
  direct: (options) => Holdfast.start(options, 'direct'),
  holdfast: (options) => Holdfast.start(options, 'holdfast'),
  ttyd: (options) => Ttyd.start('ttyd', options),
  'ttyd+tmux': (options) => Ttyd.start('ttyd+tmux', options),
};

export function startContender(name: ContenderName, options?: ContenderOptions): Promise<Contender> {
  return STARTS[name](options);
}

/** Those of `names` that can be started on this machine. */
export function startable(names: readonly ContenderName[]): ContenderName[] {
  const [hasTtyd, hasTmux] = ['ttyd', 'tmux'].map(isInstalled);
  return names.filter((name) => {
    if (name === 'ttyd') return hasTtyd;
    return name === 'ttyd+tmux' ? hasTtyd && hasTmux : true;
  });
}
