import { serveTasks } from '../../task-thread.ts';
import { TASKS } from './task-table.ts';

serveTasks(TASKS);
