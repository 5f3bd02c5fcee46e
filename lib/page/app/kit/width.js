'use strict'

const { useEffect, useRef, useState } = require('preact/hooks')

/** @returns {[import('preact').RefObject<any>, number]} for an element, and how wide it is now, in pixels */
function useWidth () {
  const element = useRef(/** @type {HTMLElement | null} */ (null))
  const [width, setWidth] = useState(800)
  useEffect(() => {
    const observer = new ResizeObserver(() => element.current && setWidth(Math.floor(element.current.clientWidth)))
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}

module.exports = { useWidth }
