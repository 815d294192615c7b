// SPDX-License-Identifier: MIT OR Apache-2.0
import './app.css'

import { mount } from 'svelte'

import App from './App.svelte'
import { live } from './lib/live.svelte'
import { theme } from './lib/theme.svelte'

theme.apply()
live.start()

const target = document.getElementById('app')
if (target) mount(App, { target })
