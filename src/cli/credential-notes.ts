/** With which credentials of clouds a configuration's vendors are asked: `gateway check` tells it. */

import { azureWay } from '../upstream/credentials/azure-way.ts';
import { CALLED, type Cloud } from '../upstream/credentials/cloud.ts';
import type { Vendor } from '../upstream/vendor.ts';

/** A sentence for each. */
export function credentialNotes(vendors: readonly Vendor[]): readonly string[] {
  return vendors.flatMap(({ name, credentials, upstreams }) =>
    (upstreams ?? [{ credentials }]).flatMap(({ credentials: cloud }) =>
      cloud === undefined
        ? []
        : [`The vendor ${name} is asked with ${CALLED[cloud.type]} (${detailOf(cloud)}).`],
    ),
  );
}

/** How an Azure token is asked for, in words. */
const WAYS = {
  secret: "a client's secret",
  workload: 'workload identity',
  'app-service': 'the identity of the app',
  machine: 'the identity of the machine',
};

function detailOf(cloud: Cloud): string {
  switch (cloud.type) {
    case 'google':
      return cloud.file ?? process.env['GOOGLE_APPLICATION_CREDENTIALS'] ?? 'application default credentials';
    case 'azure': {
      const way = azureWay(cloud, process.env);
      return `by ${typeof way === 'string' ? 'nothing' : WAYS[way.by]}, for ${cloud.scope}`;
    }
    case 'aws':
      return `${cloud.service}, ${cloud.region}${cloud.profile === undefined ? '' : `, profile ${cloud.profile}`}`;
  }
}
