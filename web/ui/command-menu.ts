/** The menu entries about commands: going from prompt to prompt, and what can be done with one command. */
import type { MenuItem } from './elements/menu.tsx';
import type { CommandTip } from './view/command-marks.ts';
import type { TerminalViews } from './view/terminal-views.ts';

/** Entries of the terminal's menu; none if its shell makes no marks. */
export function promptItems(views: TerminalViews, focusTerminal: () => void): MenuItem[] {
  const { active } = views;
  const { menu } = views;
  const tab = views.activeKey;
  if (active === undefined || tab === null || !active.marks.canJump) return [];
  const { chosen } = active.marks;
  const jump = (step: 1 | -1) => () => {
    active.marks.jump(step);
    focusTerminal();
  };
  return [
    { label: 'Previous prompt', keys: 'Ctrl+Shift+↑', run: jump(-1) },
    { label: 'Next prompt', keys: 'Ctrl+Shift+↓', run: jump(1) },
    ...(chosen === null
      ? []
      : [
          {
            label: `Command: ${chosen.commandLine ?? 'the last one'} …`,
            run: () => views.marks.open(tab, { command: chosen.key, at: menu ?? { x: 0, y: 0 } }),
          },
        ]),
  ];
}

/** What can be done with the command of `tip`. */
export function commandItems(tip: CommandTip, views: TerminalViews, focusTerminal: () => void): MenuItem[] {
  const screen = views.screen(tip.tab);
  if (screen === undefined) return [];
  const { marks } = screen;
  const back = (act: () => void) => () => {
    act();
    focusTerminal();
  };
  const output = marks.output(tip.command);
  const line = marks.command(tip.command)?.commandLine ?? null;
  const items: MenuItem[] = [
    {
      label: 'Copy output',
      isDisabled: output === '',
      run: back(() => views.input.copy(marks.output(tip.command))),
    },
    { label: 'Select output', isDisabled: output === '', run: back(() => marks.selectOutput(tip.command)) },
    { label: 'Copy command', isDisabled: line === null, run: back(() => views.input.copy(line ?? '')) },
  ];
  if (!views.marks.isRepeatable(tip)) return items;
  const canRepeat = views.marks.canRepeat(tip);
  return [
    ...items,
    {
      label: 'Run again',
      isDisabled: !canRepeat,
      ...(canRepeat ? {} : { hint: 'the shell is busy' }),
      run: back(() => views.marks.repeat(tip)),
    },
  ];
}
