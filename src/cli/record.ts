/** `gateway record`: records exchanges with a real vendor as fixtures. */

import { FORMAT_NAMES } from '../conversation/prompt.ts';
import type { Vendor } from '../upstream/vendor.ts';
import { findVendor, listNames, requireVendors } from './choose-vendor.ts';
import { command, readConfigHere } from './command.ts';
import { CommandError } from './command-error.ts';
import { parseFormat, parseWholeNumber } from './options.ts';

export const record = command({
  name: 'record',
  description:
    'Pass the next request of a client to a vendor with the configured key, and write both sides to a fixture, without secrets. Existing files are not overwritten.',
  options: {
    vendor: { type: 'string', description: 'Vendor to record (required if several have a key)' },
    name: { type: 'string', default: 'recorded', description: 'Name of the case, and of its files' },
    out: {
      type: 'string',
      default: 'fixtures',
      description: 'Folder with requests/, replies/ and errors/',
    },
    count: {
      type: 'string',
      default: '1',
      description: 'Number of exchanges to record; the names of several are numbered',
    },
    port: {
      type: 'string',
      default: '0',
      description: 'Port on 127.0.0.1 to listen on (0: any free one)',
    },
    request: { type: 'string', description: 'JSON file to send, instead of waiting for a client' },
    format: {
      type: 'string',
      description: `With --request: ${FORMAT_NAMES.join(', ')} (default: detected from the fields)`,
    },
    model: { type: 'string', description: 'With --request: the model, by the vendor’s own name for it' },
    stream: { type: 'boolean', description: 'With --request: ask for a stream' },
    force: { type: 'boolean', description: 'Replace an existing case of this name, with all its files' },
  },
  async run(args) {
    const { name, out, force = false, model, stream } = args;
    if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
      throw new CommandError(
        `--name: ${name} may only have lower-case letters, digits, and single hyphens between them.`,
      );
    const count = parseWholeNumber('count', args.count, 1, 1_000);
    const port = parseWholeNumber('port', args.port, 0, 65_535);
    const format = parseFormat(args.format);
    const [{ configuredVendors }, { listSecrets }, { recordClients, recordFile }] = await Promise.all([
      import('../config/vendors.ts'),
      import('../devtools/recorder/secrets.ts'),
      import('./record-exchange.ts'),
    ]);
    const config = await readConfigHere();
    const vendor = chooseVendor(configuredVendors(config).all, args.vendor);
    const destination = { out, force, secrets: listSecrets(config) };
    if (args.request === undefined) return recordClients(config, vendor, { port, count, name, destination });
    const overrides = {
      ...(format !== undefined && { format }),
      ...(model !== undefined && { model }),
      ...(stream !== undefined && { stream }),
    };
    return recordFile(config, vendor, { file: args.request, overrides, name, destination });
  },
});

/** The named vendor, or the only one that has a key. @throws CommandError */
function chooseVendor(all: readonly Vendor[], name: string | undefined): Vendor {
  requireVendors(all);
  if (name !== undefined) return findVendor(name, all);
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) return only;
  throw new CommandError(`Several vendors have a key: choose one with --vendor (${listNames(all)}).`);
}
