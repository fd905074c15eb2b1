import { z } from 'zod';
import { Data } from './common.ts';

/** As `pml agent list --json` and `pml agent show --json` print them. */
export const AgentList = z.object({ items: z.array(Data), next: z.null() });
export const Agent = Data;
