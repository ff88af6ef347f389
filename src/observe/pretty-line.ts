/** Lines of a log for people to read. */

/** JSON for machines, or the same for people. */
export type LineStyle = 'json' | 'pretty';

/** What makes a JSON line one for people. */
export async function prettyLine(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  return prettyFactory({
    colorize: process.env['NO_COLOR'] === undefined,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    ignore: 'id,format,spoken,operation,streamed,outcome,status,model,duration,attempts',
    messageFormat: (line, messageKey) =>
      line[messageKey] === 'exchange'
        ? `${line['status']} ${line['outcome']} ${line['format']} ${line['model'] ?? '-'} ${line['duration']} ms ${line['id']}`
        : String(line[messageKey]),
  });
}
