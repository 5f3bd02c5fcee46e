'use strict'

// Questions that have a name: the *.sql files beside this one.

const { namedTexts } = require('../named-texts')

const { all: saved, find: savedQuery } = namedTexts(__dirname, '.sql', '--')

module.exports = { saved, savedQuery }
