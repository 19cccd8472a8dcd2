/** Writes the property list of a service for launchd. Pure. */
import type { Service } from './service.ts';

/** As for systemd: everything ends itself within eight seconds. */
const STOP_WITHIN_S = 15;

/** The signal that reloads a service has no place here: launchd does not know reloading. */
export function plistText(
  { name, program, environment }: Pick<Service, 'name' | 'program' | 'environment'>,
  logFile: string,
  comments: readonly string[] = [],
): string {
  const variables = Object.entries(environment).flatMap(([key, value]) => [
    `<key>${xml(key)}</key>`,
    `<string>${xml(value)}</string>`,
  ]);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    ...comments,
    '<plist version="1.0">',
    '<dict>',
    '<key>Label</key>',
    `<string>${xml(name)}</string>`,
    '<key>ProgramArguments</key>',
    '<array>',
    ...program.map((word) => `<string>${xml(word)}</string>`),
    '</array>',
    '<key>EnvironmentVariables</key>',
    '<dict>',
    ...variables,
    '</dict>',
    '<key>RunAtLoad</key>',
    '<true/>',
    '<key>KeepAlive</key>',
    '<dict><key>SuccessfulExit</key><false/></dict>',
    '<key>ExitTimeOut</key>',
    `<integer>${STOP_WITHIN_S}</integer>`,
    '<key>SoftResourceLimits</key>',
    '<dict><key>NumberOfFiles</key><integer>65536</integer></dict>',
    '<key>StandardOutPath</key>',
    `<string>${xml(logFile)}</string>`,
    '<key>StandardErrorPath</key>',
    `<string>${xml(logFile)}</string>`,
    '</dict>',
    '</plist>',
  ];
  return `${lines.join('\n')}\n`;
}

export function programInPlist(text: string): string | undefined {
  return /<key>ProgramArguments<\/key>\s*<array>([\s\S]*?)<\/array>/.exec(text)?.[1];
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function xml(text: string): string {
  return text.replace(/[&<>]/g, (char) => ENTITIES[char] ?? char);
}
