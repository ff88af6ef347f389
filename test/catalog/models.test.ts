import { describe, expect, it } from 'vitest';
import { modelName, vendorName } from '../../src/catalog/catalog.ts';
import { type Model, parseModels } from '../../src/catalog/model.ts';
import data from '../../src/catalog/models.json' with { type: 'json' };
import { findPrices } from '../../src/catalog/prices-at.ts';
import type { ModelTraits } from '../../src/formats/format.ts';

const models = parseModels(data);
const LADDER = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const NOW = Date.now() / 1000;

function named(id: string): Model {
  const model = models.find((candidate) => candidate.id === id);
  if (model === undefined) throw new Error(`no ${id} in the catalog`);
  return model;
}

/** Today's prices, and those after each later change. */
function everyPrices({ prices }: Pick<Model, 'prices'>): readonly Model['prices'][] {
  return prices.later === undefined ? [prices] : [prices, ...everyPrices(prices.later)];
}

describe('the default catalog', () => {
  it('gives every name to one model only, in whatever case', () => {
    const names = models.flatMap((model) => [model.id, ...(model.aliases ?? [])]);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  });

  it('has models of every kind of vendor', () => {
    const vendors = new Set(models.map((model) => vendorName(model.id)));
    expect(vendors).toContain('openai');
    expect(vendors).toContain('anthropic');
    expect(vendors).toContain('google');
    for (const vendor of ['openai', 'anthropic', 'google']) vendors.delete(vendor);
    expect(vendors.size).toBeGreaterThan(5);
  });

  it('has models newest first within a vendor of its own format', () => {
    for (const vendor of ['anthropic', 'google']) {
      const dates = models.filter((model) => vendorName(model.id) === vendor).map((model) => model.created);
      expect(dates).toEqual(dates.toSorted((a, b) => b - a));
    }
  });

  it("prices the searches of all of Anthropic's models alike", () => {
    const claude = models.filter((model) => vendorName(model.id) === 'anthropic');
    expect(claude.filter(({ prices }) => prices.searches !== 10).map(({ id }) => id)).toEqual([]);
  });

  it('never gives a model of a vendor with its own format a name of another vendor', () => {
    for (const model of models) {
      if (!['openai', 'anthropic', 'google'].includes(vendorName(model.id))) continue;
      for (const alias of model.aliases ?? []) expect(vendorName(alias)).toBe(vendorName(model.id));
    }
  });
});

describe.each(models.map((model) => [model.id, model] as const))('%s', (_, model) => {
  it('was released between GPT-3.5 and now', () => {
    expect(model.created).toBeGreaterThan(Date.UTC(2022, 10) / 1000);
    expect(model.created).toBeLessThan(NOW);
  });

  it.each(everyPrices(model))(
    'has prices in a sane order, none of them per token or per thousand',
    (prices) => {
      const { input, output, cacheRead, cacheWrite, cacheWriteHour } = prices;
      expect(input).toBeGreaterThanOrEqual(0.02);
      expect(output).toBeGreaterThanOrEqual(input);
      expect(output).toBeLessThanOrEqual(600);
      if (cacheRead !== undefined) expect(cacheRead).toBeLessThan(input);
      if (cacheWrite !== undefined) expect(cacheWrite).toBeGreaterThanOrEqual(input);
      if (cacheWriteHour !== undefined) expect(cacheWriteHour).toBeGreaterThan(cacheWrite ?? input);
    },
  );

  it('has later prices in the order of their days', () => {
    const days = everyPrices(model).flatMap(({ later }) => later?.from ?? []);
    expect(days).toEqual([...new Set(days)].toSorted());
  });

  it.each(everyPrices(model))(
    'is dearer where it is faster or kept to one region, and cheaper where it has time',
    ({ tiers }) => {
      const { flex = 0.5, fast = 2, ultrafast = fast + 1, us = 1.1 } = tiers ?? {};
      expect(flex).toBe(0.5);
      expect(us).toBe(1.1);
      expect(fast).toBeGreaterThan(1.5);
      expect(ultrafast).toBeGreaterThan(fast);
      expect(fast).toBeLessThanOrEqual(6);
    },
  );

  it('has limits that are consistent', () => {
    expect(model.maxOutputTokens).toBeLessThanOrEqual(model.contextWindow);
    expect(model.thinking?.budget?.max ?? 0).toBeLessThan(model.maxOutputTokens);
  });

  it('reads text, and names nothing twice', () => {
    expect(model.input).toContain('text');
    for (const list of [model.input, model.aliases, model.thinking?.efforts, model.thinking?.kinds]) {
      expect(new Set(list).size).toBe(list?.length ?? 0);
    }
  });

  it('takes effort words from least to most', () => {
    const steps = (model.thinking?.efforts ?? []).map((word) => LADDER.indexOf(word));
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  });
});

describe('traits by family', () => {
  it('no reasoning model of OpenAI takes sampling parameters, every other one does', () => {
    for (const model of models.filter(({ id }) => vendorName(id) === 'openai')) {
      expect([model.id, model.sampling ?? true]).toEqual([model.id, model.thinking === undefined]);
      expect([model.id, /^(o\d|gpt-[5-9])/.test(modelName(model.id))]).toEqual([
        model.id,
        model.thinking !== undefined,
      ]);
    }
  });

  it('Claude Opus 4.7 and later take effort words only, and no sampling parameters', () => {
    const since = named('anthropic/claude-opus-4-7').created;
    for (const model of models.filter(({ id }) => vendorName(id) === 'anthropic')) {
      const late = model.created >= since;
      expect([model.id, model.sampling ?? true]).toEqual([model.id, !late]);
      if (late) expect([model.id, model.thinking?.kinds]).toEqual([model.id, ['effort']]);
    }
  });

  it('Claude budgets begin at 1,024 and stay below the longest answer', () => {
    for (const model of models.filter(({ id }) => vendorName(id) === 'anthropic')) {
      const budget = model.thinking?.budget;
      if (budget !== undefined) expect(budget).toEqual({ min: 1024, max: model.maxOutputTokens - 1 });
    }
  });

  it('every Claude has all its cache prices in the proportions Anthropic publishes', () => {
    for (const { id, prices } of models.filter((model) => vendorName(model.id) === 'anthropic')) {
      expect([id, prices.cacheWrite]).toEqual([id, prices.input * 1.25]);
      expect([id, prices.cacheWriteHour]).toEqual([id, prices.input * 2]);
      expect(prices.cacheRead).toBeDefined();
    }
  });

  it('every GPT from 5.6 on has the price of what is written to its cache, which was free before', () => {
    const written = models.filter(({ id }) => /^openai\/gpt-(?:5\.6|[6-9])/.test(id));
    expect(written.length).toBeGreaterThan(5);
    for (const { id, prices } of written) {
      expect([id, prices.cacheWrite]).toEqual([id, prices.input * 1.25]);
      expect([id, prices.long?.cacheWrite]).toEqual([id, (prices.long?.input ?? 0) * 1.25]);
    }
  });

  it('Gemini 2.5 Pro costs what Gemini 3.8 Flash does from the day when that one answers for it', () => {
    const [pro, flash] = [named('google/gemini-2.5-pro'), named('google/gemini-3.8-flash')];
    const priced = ({ prices }: Model, day: string): Model['prices'] => findPrices(prices, Date.parse(day));
    expect(priced(pro, '2026-11-30').input).toBe(1.25);
    for (const day of ['2026-12-01', '2027-01-01']) expect(priced(pro, day)).toEqual(priced(flash, day));
  });

  it('Gemini 2.5 takes a budget, and Gemini 3 and 4 take a word', () => {
    for (const model of models.filter(({ id }) => vendorName(id) === 'google')) {
      const kinds = model.id.includes('gemini-2.5')
        ? ['budget']
        : /gemini-[34]/.test(model.id)
          ? ['effort']
          : undefined;
      expect([model.id, model.thinking?.kinds]).toEqual([model.id, kinds]);
    }
  });

  it('is what a renderer asks for', () => {
    const { thinking } = named('anthropic/claude-sonnet-4-6');
    const target: Pick<ModelTraits, 'thinking'> = { ...(thinking !== undefined && { thinking }) };
    expect(target.thinking?.efforts).toEqual(['low', 'medium', 'high', 'max']);
  });
});

describe('parseModels', () => {
  const model = {
    id: 'acme/one',
    name: 'One',
    created: 1,
    contextWindow: 10,
    maxOutputTokens: 5,
    prices: { input: 1, output: 2 },
  };
  const thinking = { kinds: ['effort'], efforts: ['low'], canDisable: false };

  it('accepts a model with only its required fields, and leaves the others absent', () => {
    expect(parseModels([model])).toEqual([model]);
    expect(Object.keys(parseModels([model])[0] ?? {})).toEqual(Object.keys(model));
  });

  it.each([
    ['an upper-case id', { id: 'Acme/One' }],
    ['an id without a vendor', { id: 'one' }],
    ['an id with two slashes', { id: 'acme/one/two' }],
    ['a field nobody knows', { colour: 'red' }],
    ['a price that is no number', { prices: { input: '1', output: 2 } }],
    ['a negative price', { prices: { input: -1, output: 2 } }],
    ['a price nobody knows', { prices: { input: 1, output: 2, cached: 1 } }],
    ['a limit of nothing', { maxOutputTokens: 0 }],
    ['an alias without a vendor', { aliases: ['uno'] }],
    ['an undefined field', { upstream: undefined }],
    ['an effort nobody knows', { thinking: { ...thinking, efforts: ['enormous'] } }],
    ['the kind effort without words', { thinking: { ...thinking, efforts: [] } }],
    ['the kind budget without a budget', { thinking: { ...thinking, kinds: ['effort', 'budget'] } }],
    ['a budget that is not told', { thinking: { ...thinking, budget: { min: 1, max: 2 } } }],
    [
      'a budget upside down',
      { thinking: { ...thinking, kinds: ['effort', 'budget'], budget: { min: 2, max: 1 } } },
    ],
    ['none for a model that cannot stop', { thinking: { ...thinking, efforts: ['none', 'low'] } }],
  ])('refuses %s', (_, change) => {
    expect(() => parseModels([{ ...model, ...change }])).toThrow(/^Bad model catalog:/);
  });

  it('names the wrong field', () => {
    expect(() => parseModels([model, { ...model, id: 'acme/two', prices: { input: 1 } }])).toThrow(
      '[1].prices.output',
    );
  });

  it('refuses a value that is not a list', () => {
    for (const value of [undefined, null, {}, 'models', 7]) expect(() => parseModels(value)).toThrow();
  });

  it.each([
    ['two models of one id', [model, model]],
    ['an alias that is an id', [model, { ...model, id: 'acme/two', aliases: ['ACME/One'] }]],
    [
      'an alias of two models',
      [
        { ...model, aliases: ['acme/x'] },
        { ...model, id: 'acme/two', aliases: ['acme/X'] },
      ],
    ],
  ])('refuses %s', (_, list) => {
    expect(() => parseModels(list)).toThrow('is listed more than once');
  });

  it('returns frozen values', () => {
    const [parsed] = parseModels([{ ...model, aliases: ['acme/uno'] }]);
    expect(Object.isFrozen(parsed)).toBe(true);
    expect(Object.isFrozen(parsed?.aliases)).toBe(true);
    expect(Object.isFrozen(parsed?.prices)).toBe(true);
  });
});
